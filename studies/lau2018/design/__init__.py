"""What the study is made of: the thesis's experiments, declared, and their budgets."""
