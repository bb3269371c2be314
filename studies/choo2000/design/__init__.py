"""What the study is made of: its network, its methods, and their budgets."""
