"""Files of logs: opened, unpacked, and looked at."""
