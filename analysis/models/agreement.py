"""How far one set of numbers is from another that stands for the truth."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean_squared_error(squared_error_sum: Any, elements: Any) -> Any:
    """Mean squared difference of two tensors, in the square of their unit. [1]

    error = squared_error_sum / elements

    squared_error_sum   squared differences, added up                    [1]
    elements            how many numbers were compared                   [1]

    Floats or arrays that broadcast; at least one element.

    Source
    ------
    Definition.
    """
    return squared_error_sum / elements


def relative_squared_error(error: Any, spread: Any) -> Any:
    """Mean squared error as a share of the reference's own variance; 0.01 is a signal-to-noise ratio of 20 dB. [1]

    relative = error / spread

    error      mean squared error                                        [1]
    spread     variance of the reference; its mean square if constant    [1]

    Floats or arrays that broadcast; spread positive.

    Source
    ------
    Definition: the inverse of the signal-to-quantisation-noise ratio.
    """
    return error / spread


def cosine_similarity(product_sum: Any, reference_square_sum: Any, candidate_square_sum: Any) -> Any:
    """Cosine of the angle between two tensors read as vectors: 1 where they differ by a positive factor. [1]

    cosine = product_sum / sqrt(reference_square_sum * candidate_square_sum)

    product_sum            products element by element, added up         [1]
    reference_square_sum   squares of the reference, added up            [1]
    candidate_square_sum   squares of the candidate, added up            [1]

    Floats or arrays that broadcast; both squares positive.

    Source
    ------
    Definition.
    """
    return product_sum / np.sqrt(reference_square_sum * candidate_square_sum)


def perplexity(loss_sum: Any, predictions: Any) -> Any:
    """Perplexity of a text: how many equally likely tokens would surprise as much. [1]

    perplexity = exp(loss_sum / predictions)

    loss_sum      negative natural logarithms of the probabilities given to the tokens that came, added up   [1]
    predictions   how many tokens                                                                            [1]

    Floats or arrays that broadcast; at least one token.

    Source
    ------
    Jelinek, Mercer, Bahl, Baker (1977), "Perplexity, a measure of the difficulty of speech recognition tasks".
    """
    return np.exp(loss_sum / predictions)
