import { type Schema, Validator } from '@cfworker/json-schema'
import {
  createErrorHandler,
  type CustomValidator,
  ErrorSchemaBuilder,
  type ErrorTransformer,
  type RJSFSchema,
  type RJSFValidationError,
  unwrapErrorHandler,
  type UiSchema,
  type ValidationData,
  validationDataMerge,
  type ValidatorType,
} from '@rjsf/utils'
import { acceptKeptSecrets } from './kept-secrets.ts'
import { type SchemaProblem, toProblems } from './schema-problems.ts'

/** A config as the form holds it. */
export type FormValue = Record<string, unknown>

/**
 * Checks forms against JSON Schema without compiling anything: pages may not run generated code. The server checks again and
 * decides; a schema that this validator cannot read is left to it.
 */
export const schemaValidator: ValidatorType<FormValue> = {
  validateFormData,
  isValid: (schema, value, root) => isValid(withDefinitions(schema, root), value),
  // The caller says which form of errors it wants; nobody here does.
  rawValidation: (schema, value) => ({ errors: problemsOf(schema, value) as never[] }),
}

function validateFormData(
  value: FormValue | undefined,
  schema: RJSFSchema,
  customValidate?: CustomValidator<FormValue>,
  transformErrors?: ErrorTransformer<FormValue>,
  uiSchema?: UiSchema<FormValue>,
): ValidationData<FormValue> {
  const problems = problemsOf(schema, value)
  const found = problems.map(toFormError)
  const errors = transformErrors ? transformErrors(found, uiSchema) : found
  const builder = new ErrorSchemaBuilder<FormValue>()
  for (const { path, message } of problems) builder.addErrors(message, [...path])
  const result = { errors, errorSchema: builder.ErrorSchema }
  if (!customValidate) return result
  const handler = customValidate(value, createErrorHandler(value ?? {}), uiSchema, result.errorSchema)
  return validationDataMerge(result, unwrapErrorHandler(handler))
}

function problemsOf(schema: RJSFSchema, value: FormValue | undefined): SchemaProblem[] {
  try {
    return toProblems(createValidator(schema, false).validate(value ?? {}).errors)
  } catch {
    return []
  }
}

function isValid(schema: RJSFSchema, value: FormValue | undefined): boolean {
  try {
    // The library takes undefined for no JSON value at all.
    return createValidator(schema, true).validate(value ?? null).valid
  } catch {
    return false
  }
}

function createValidator(schema: RJSFSchema, stopsAtFirst: boolean): Validator {
  const { $schema: dialect, $id: _id, ...rules } = acceptKeptSecrets(schema) as Schema
  return new Validator(rules, draftOf(dialect), stopsAtFirst)
}

function draftOf(dialect: unknown): '4' | '7' | '2019-09' | '2020-12' {
  const text = String(dialect)
  if (/draft-0[46]/.test(text)) return text.includes('draft-04') ? '4' : '7'
  if (text.includes('draft-07')) return '7'
  return text.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Parts of a schema refer to the definitions of the whole. */
function withDefinitions(schema: RJSFSchema, { $defs, definitions }: RJSFSchema): RJSFSchema {
  return { ...($defs && { $defs }), ...(definitions && { definitions }), ...schema }
}

function toFormError({ keyword, path, message }: SchemaProblem): RJSFValidationError {
  const property = `.${path.join('.')}`
  return { name: keyword, property, message, stack: `${path.join(' › ')} ${message}`.trim() }
}
