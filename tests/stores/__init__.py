"""Tests of the stores, most of them by the contract that all stores share."""
