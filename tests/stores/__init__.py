"""The stores. Most tests are in the contract that all stores share."""
