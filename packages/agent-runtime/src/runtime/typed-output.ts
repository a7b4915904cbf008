import type { RunRequest, RunResult } from '@homeward/contract/agent-platform'
import { describeIssues, parserOf, type ParseValue } from '../host-input/standard-schema.ts'
import { schemaRemedy, toJsonSchema } from '../host-input/to-json-schema.ts'
import { reasonOf } from '../ports/reason-of.ts'
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
  const output_schema = await toJsonSchema(schema, fail)
  const parse = safely(parserOf(schema))
  return {
    request: { ...request, output_schema },
    async checkOutput(value) {
      const { issues } = await parse(value)
      return issues && describeIssues(issues, 'the output')
    },
    async toResult({ data, ...result }) {
      if (data === undefined) return result
      const checked = await parse(data)
      // the schema has made it
      if (!checked.issues) return { ...result, data: checked.value as Output }
      // Another process has ended the run, and had its JSON Schema only.
      const error = `Checking the output failed: ${describeIssues(checked.issues, 'the output')}. Run the task again.`
      return { ...result, success: false, error, code: 'output_invalid' }
    },
  }
}

/** A schema that throws has not accepted the value: the model reads why, as it reads an issue. */
function safely(parse: ParseValue): ParseValue {
  return async (value) => {
    try {
      return await parse(value)
    } catch (error) {
      return { issues: [{ message: `could not be checked: ${reasonOf(error).slice(0, 1000)}` }] }
    }
  }
}

const fail = (problem: string, cause?: unknown) =>
  new RuntimeError('validation_error', `Running an agent failed: "output" ${problem}. ${schemaRemedy}`, {
    cause,
  })
