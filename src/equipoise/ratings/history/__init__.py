"""Strength over time: whole-history rating, with the variance of the walk estimated"""
