"""What commands print and write, and the references made from them."""
