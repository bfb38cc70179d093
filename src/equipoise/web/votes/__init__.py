"""Votes on the web: answers made safe, the page where people vote, the board, and models as judges."""
