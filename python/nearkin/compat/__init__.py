"""Other libraries' names for nearkin's parts, so that scripts written for them run after one import is changed."""
