"""Lists the packages; everything else is in ``pyproject.toml``.

``wrappers/`` and ``training/`` lie beside the package but are imported as ``lusogames_env.wrappers`` and
``lusogames_env.training``; automatic discovery cannot express that.
"""

from setuptools import find_packages, setup

BESIDE = ("wrappers", "training")

packages = find_packages(include=["lusogames_env", "lusogames_env.*"])
for name in BESIDE:
    packages += [f"lusogames_env.{name}", *(f"lusogames_env.{name}.{inner}" for inner in find_packages(name))]

setup(
    packages=packages,
    package_dir={f"lusogames_env.{name}": name for name in BESIDE},
)
