"""Imports the official BBQ: its released rows, or its templates, which are rendered."""

from evenhand.contract import WrongUse
from evenhand.generator.bbq.official_release import prepare_release
from evenhand.generator.bbq.official_rendering import prepare_templates
from evenhand.generator.bbq.options import ImportOptions
from evenhand.generator.benchmark import ImportSettings, Prepared


def prepare_import(settings: ImportSettings) -> Prepared:
    """Read and check the released rows, or render the release's templates.

    Raises:
        WrongUse: a config is unknown, or options do not go together.
        DataRefused: a file is missing or faulty; the sentence names the place in it.
    """
    options = ImportOptions(**settings.options)
    if options.templates is not None:
        return prepare_templates(settings)
    if options.keep_templates or options.substring_faults:
        raise WrongUse("--keep-templates and --substring-faults go with --templates alone.")
    return prepare_release(settings)
