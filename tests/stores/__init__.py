"""The stores. Most tests belong to the contract that all stores share."""
