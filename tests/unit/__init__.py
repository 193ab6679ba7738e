"""Tests of single modules. If a module is removed, its tests go too."""
