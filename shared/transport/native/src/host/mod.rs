//! Calls to the operating system that Node has no function for.
