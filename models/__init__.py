"""What is believed: priors, networks and likelihoods, each model an ordinary ``pm.Model``."""

from .architecture import network
from .bnn import BNN
from .data.unit_scale import ScaleWarning
from .likelihoods.base import Likelihood
from .likelihoods.bernoulli import Bernoulli
from .likelihoods.categorical import Categorical
from .likelihoods.gaussian_noise import GaussianNoise
from .likelihoods.heteroscedastic_noise import HeteroscedasticNoise
from .likelihoods.negative_binomial import NegativeBinomial
from .likelihoods.ordered import Ordered
from .likelihoods.poisson import Poisson
from .likelihoods.student_t_noise import StudentTNoise
from .loading import load
from .prior_functions import draw_functions, limiting_covariance
from .priors.ard import ARD, ard
from .priors.base import Prior
from .priors.box import Box
from .priors.conjugate_horseshoe import ConjugateHorseshoe, conjugate_horseshoe
from .priors.gaussian import Gaussian, gaussian
from .priors.horseshoe import Horseshoe, horseshoe
from .priors.logistic import Logistic, logistic
from .priors.normal_inverse_gamma import NormalInverseGamma, normal_inverse_gamma
from .priors.regularized_horseshoe import RegularizedHorseshoe, regularized_horseshoe
from .priors.scaled import Scaled, scaled
from .priors.stable import Stable
from .priors.student_t import StudentT, student_t

VARIANTS = {
    variant.__name__: variant
    for variant in (
        gaussian,
        scaled,
        normal_inverse_gamma,
        ard,
        horseshoe,
        conjugate_horseshoe,
        regularized_horseshoe,
        logistic,
        student_t,
    )
}

__all__ = [
    "ARD",
    "BNN",
    "VARIANTS",
    "Bernoulli",
    "Box",
    "Categorical",
    "ConjugateHorseshoe",
    "Gaussian",
    "GaussianNoise",
    "HeteroscedasticNoise",
    "Horseshoe",
    "Likelihood",
    "Logistic",
    "NegativeBinomial",
    "NormalInverseGamma",
    "Ordered",
    "Poisson",
    "Prior",
    "RegularizedHorseshoe",
    "ScaleWarning",
    "Scaled",
    "Stable",
    "StudentT",
    "StudentTNoise",
    "ard",
    "conjugate_horseshoe",
    "draw_functions",
    "gaussian",
    "horseshoe",
    "limiting_covariance",
    "load",
    "logistic",
    "network",
    "normal_inverse_gamma",
    "regularized_horseshoe",
    "scaled",
    "student_t",
]
