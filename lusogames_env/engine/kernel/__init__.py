"""The compiled side of the engine. Every file in this folder is part of the kernel cache's key."""
