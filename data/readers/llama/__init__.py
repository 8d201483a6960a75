"""Parts of the llama.cpp readers that its several outputs share."""
