"""What is loaded once and kept for every visitor: the catalogue and the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from data.catalogue.catalogue import Catalogue


@st.cache_resource(show_spinner=False)
def catalogue() -> Catalogue:
    """Chips, models and prices as the catalogue files give them."""
    from data.catalogue.catalogue import load_catalogue

    return load_catalogue()


def prepare_store() -> None:
    """Build the store where it is missing. Raises StoreError if another process holds it."""
