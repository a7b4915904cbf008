import type { JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'
import { Unanswered } from '../../ports/unanswered.ts'
import { textOf, textsOf } from './read-arguments.ts'

/** Asks the person of the run. The run waits for the answer, for days if need be. */
export const askUserTool: Tool = {
  id: 'ask_user',
  description:
    'Asks the user a question and waits for the answer. Use it when you cannot go on without the answer. With "options" the user ' +
    'picks one of them, with "multiple" any number; with "schema" (a JSON Schema) the answer is JSON; else it is text.',
  inputSchema: {
    type: 'object',
    properties: {
      message: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        description: 'The text that the user reads.',
      },
      schema: { type: 'object', description: 'JSON Schema of the answer.' },
      options: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 100 },
      multiple: { type: 'boolean', description: 'With "options".' },
    },
    required: ['message'],
    additionalProperties: false,
  },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  async execute(args, { ask }) {
    const schema = schemaOf(args)
    try {
      return await ask({ message: textOf(args, 'message'), ...(schema && { schema }) })
    } catch (error) {
      if (error instanceof Unanswered) return error.message
      throw error
    }
  },
}

function schemaOf(args: JsonObject): JsonObject | undefined {
  const { schema, multiple } = args
  const options = textsOf(args, 'options')
  if (options.length === 0) return isJsonObject(schema) ? schema : undefined
  if (schema !== undefined)
    throw new RuntimeError(
      'validation_error',
      'Asking the user failed: "schema" and "options" exclude each other. Send one of them.',
    )
  const one = { type: 'string', enum: [...new Set(options)] }
  return multiple === true ? { type: 'array', items: one, uniqueItems: true } : one
}
