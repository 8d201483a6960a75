"""Requests as they come: their lengths, their arrivals, the queues they make, and the replicas that keep a promise."""
