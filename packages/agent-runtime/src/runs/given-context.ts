import { isDeepStrictEqual } from 'node:util'
import type { RunMessage, RunRequest } from '@homeward/contract/agent-platform'
import type { FileReference } from '../ports/file.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import type { GivenContext } from '../store/ports/given-context.ts'
import { isSameFiles } from '../files/is-same-files.ts'
import { readGivenFiles } from './given-files.ts'
import type { RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'

/** Characters. */
export const maxInstructions = 1_000_000

/**
 * Rejects a history next to a stored conversation, because the model would read both or one of them would be lost, and
 * instructions that are not text.
 *
 * @throws {RuntimeError} `validation_error`
 */
export function assertContext(request: RunRequest, instructions: string | undefined): void {
  const { messages, store, conversation_id: id, regenerate } = request
  if (messages && (store !== false || id !== undefined || regenerate === true)) {
    throw unusable('"messages" needs "store": false, and neither "conversation_id" nor "regenerate"')
  }
  const isText: boolean = typeof instructions === 'string' // a host without types may give anything
  if (instructions !== undefined && !(isText && instructions.length <= maxInstructions)) {
    throw unusable(`"instructions" must be a string of at most ${maxInstructions} characters`)
  }
}

const unusable = (fault: string) => new RuntimeError('validation_error', `Starting a run failed: ${fault}.`)

/**
 * Brings what the caller gave into the form in which it is stored. Bytes of files are apart.
 *
 * @param question The message of the conversation that is regenerated: its files count.
 */
export async function readGivenContext(
  context: Pick<RunsContext, 'workspace' | 'createId'>,
  { agent_id: agentId, messages, files = [] }: RunRequest,
  { instructions, storedFiles }: Pick<RunStartOptions, 'instructions' | 'storedFiles'>,
  question: ModelMessage | undefined,
): Promise<{ readonly given: GivenContext; readonly contents: readonly FileContent[] }> {
  const contents: FileContent[] = []
  const read = async (given: NonNullable<RunRequest['files']>): Promise<readonly FileReference[]> => {
    if (given.length === 0) return []
    const added = await readGivenFiles(context, agentId, given)
    contents.push(...added.contents)
    return added.files
  }
  const history: ModelMessage[] = []
  for (const message of messages ?? []) history.push(toModelMessage(message, await read(message.files ?? [])))
  const own = question
    ? question.role === 'user' && question.files
    : // each run has references of its own: they are deleted with it
      (storedFiles?.map((file) => ({ ...file, id: context.createId() })) ?? (await read(files)))
  const given = {
    ...(messages && { history }),
    ...(instructions !== undefined && { instructions }),
    ...(own && own.length > 0 && { files: own }),
  }
  return { given, contents }
}

/** Whether two runs read the same apart from their task. */
export function isSameContext(one: GivenContext, other: GivenContext): boolean {
  return (
    one.instructions === other.instructions &&
    isSameFiles(one.files, other.files) &&
    isDeepStrictEqual(withoutIds(one.history), withoutIds(other.history))
  )
}

/** The same file gets another id each time that it is sent. */
const withoutIds = (history: readonly ModelMessage[] | undefined) =>
  history?.map((message) =>
    message.role === 'user' && message.files
      ? { ...message, files: message.files.map((file) => ({ ...file, id: '' })) }
      : message,
  )

const toModelMessage = ({ role, content: text }: RunMessage, files: readonly FileReference[]): ModelMessage =>
  role === 'user'
    ? { role, text, ...(files.length > 0 && { files }) }
    : { role, parts: [{ type: 'text', text }] }
