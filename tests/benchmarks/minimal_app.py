"""The yardstick: the smallest page that answers a slider. Fixed for good, so that ratios stay comparable."""

import streamlit as st

value = st.select_slider("Value", options=list(range(13)), value=4, key="value")
st.markdown(f"Now **{value}**.")
