"""What we are made of, checked: `python -m tests.supply_chain` (make supply-chain)."""
