"""Goals and policies as pure state machines: what is asked, and when it is answered."""
