import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject, RunRequest, RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RunStartOptions } from '../runs/runs.ts'
import type { TypedRunRequest, TypedRunResult } from './runtime.ts'

/** A run that is started with a schema of a library for schemas. */
export interface TypedRun<Output> {
  readonly request: RunRequest
  /** Checks what JSON Schema cannot say, such as refinements, while the model can still correct its output. */
  readonly checkOutput: NonNullable<RunStartOptions['checkOutput']>
  /** The result with the data that the schema makes of it. */
  toResult(result: RunResult): Promise<TypedRunResult<Output>>
}

/**
 * Turns a request with a Standard Schema into one with a JSON Schema.
 *
 * @throws {RuntimeError} `validation_error` for a schema that gives no JSON Schema.
 */
export async function toTypedRun<Output>({
  output: schema,
  ...request
}: TypedRunRequest<Output>): Promise<TypedRun<Output>> {
  const output_schema = await toJsonSchema(schema)
  const { validate } = schema['~standard']
  return {
    request: { ...request, output_schema },
    async checkOutput(value) {
      const { issues } = await validate(value)
      return issues && describe(issues)
    },
    async toResult({ data, ...result }) {
      if (data === undefined) return result
      const checked = await validate(data)
      if (!checked.issues) return { ...result, data: checked.value }
      // Another process has ended the run, and had its JSON Schema only.
      const error = `Checking the output failed: ${describe(checked.issues)}. Run the task again.`
      return { ...result, success: false, error, code: 'output_invalid' }
    },
  }
}

const attempt = 'Running an agent failed: "output"'
const remedy = 'Use a schema of zod 4, or give a JSON Schema as "output_schema".'

async function toJsonSchema(schema: StandardSchemaV1): Promise<JsonObject> {
  // a host without types may give anything
  const standard: Partial<Convertible> | undefined = (schema as Partial<StandardSchemaV1> | undefined)?.[
    '~standard'
  ]
  if (typeof standard?.validate !== 'function') {
    throw new RuntimeError('validation_error', `${attempt} must be a Standard Schema. ${remedy}`)
  }
  try {
    const made = await convert(schema, standard)
    if (made) return made
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new RuntimeError('validation_error', `${attempt} has no JSON Schema: ${reason}. ${remedy}`, {
      cause,
    })
  }
  const vendor = String(standard.vendor).slice(0, 50)
  throw new RuntimeError('validation_error', `${attempt} of ${vendor} gives no JSON Schema. ${remedy}`)
}

type Convertible = StandardSchemaV1.Props & {
  readonly jsonSchema?: { input(options: { readonly target: string }): Readonly<Record<string, unknown>> }
}

/** The schema of what a model has to write: what the library reads, not what it makes of that. */
async function convert(
  schema: StandardSchemaV1,
  { jsonSchema, vendor }: Partial<Convertible>,
): Promise<JsonObject | undefined> {
  if (jsonSchema) return toJson(jsonSchema.input({ target: 'draft-2020-12' }))
  if (vendor !== 'zod') return undefined
  const { toJSONSchema } = await import('zod/v4/core')
  // zod/mini says no more of itself than its vendor
  return toJson(toJSONSchema(schema as unknown as Parameters<typeof toJSONSchema>[0], { io: 'input' }))
}

/** Without functions and other things that are not JSON. */
const toJson = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject // an object stays one

const maxIssues = 5

function describe(issues: readonly StandardSchemaV1.Issue[]): string {
  const told = issues.slice(0, maxIssues).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
    return `${keys.length > 0 ? `/${keys.join('/')}` : 'the output'}: ${message}`
  })
  const more = issues.length - told.length
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
