/**
 * Functions of << name >> for the code of other components.
 *
 * They are imported as `import 'lib/<< slug >>.libsonnet'`.
 */
{
}
