import type { Json } from '@homeward/contract/agent-platform'
import { callToolId, searchToolId } from '../../ports/built-in-tool-ids.ts'
import type { ProgramQuestion } from '../../ports/program-question.ts'
import type { Tool } from '../../ports/tool.ts'
import { textOf } from '../built-in/read-arguments.ts'
import { maxOutputChars } from './program-messages.ts'
import { toSignatures } from './tool-signatures.ts'

const maxCodeChars = 100_000

/**
 * The tool that runs a program of the model. The program calls the agent's other tools, each with its own approval and ledger entry.
 *
 * @param tools what a program can call
 * @param deferred ids of those that the prompt does not hold
 */
export function createRunCodeTool(tools: readonly Tool[], deferred?: ReadonlySet<string>): Tool {
  const callable = tools.filter(({ id }) => id !== searchToolId && id !== callToolId)
  const shown = callable.filter(({ id }) => !deferred?.has(id))
  return {
    id: 'run_code',
    description:
      'Runs a JavaScript program that calls your tools. Use it for many calls, loops, or data that you do not have to read: only what ' +
      'the program returns or logs comes back. It has no network, file system, timers or imports. Each function takes one object and ' +
      'returns a promise of the result, which rejects if the call fails. Use await and Promise.all. The value of the last expression, or ' +
      `of return, comes back with console.log, at most ${maxOutputChars} characters. Functions:\n${toSignatures(shown)}` +
      (deferred ? `\nTools that ${searchToolId} finds can be called in the same way.` : ''),
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, maxLength: maxCodeChars, description: 'JavaScript.' },
      },
      required: ['code'],
      additionalProperties: false,
    },
    // what the program does to the world is done by its calls
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    // the calls of the program have to end first
    settlesOnAbort: true,
    async execute(args, { ask }) {
      const program: ProgramQuestion = {
        kind: 'program',
        message: '',
        code: textOf(args, 'code'),
        tools: callable.map(({ id }) => id),
      }
      return (await ask(program)) as Json // a program gives JSON
    },
  }
}
