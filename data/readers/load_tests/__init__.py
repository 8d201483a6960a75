"""What HTTP load generators (JMeter, Locust, k6) have in common: requests with a time and a verdict, no tokens."""
