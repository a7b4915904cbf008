import { isDeepStrictEqual } from 'node:util'
import type { Agent, RunFile, RunMessage, RunRequest } from '@homeward/contract/agent-platform'
import { findMessage, findNewestQuestion } from '../conversations/replaced-answers.ts'
import { isSameFiles } from '../files/is-same-files.ts'
import { toGivenFiles, toNewFiles, type NewFiles } from '../files/to-files.ts'
import { cut } from '../json/to-json.ts'
import type { FileReference } from '../ports/file.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { findConversation, isOwnConversation, notOwnConversation } from '../store/own-conversation.ts'
import type {
  ConversationAppend,
  StoredConversation,
  StoredMessage,
} from '../store/ports/conversation-store.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import type { GivenContext } from '../store/ports/given-context.ts'
import type { NewAgentRun } from '../store/ports/new-run.ts'
import { openWorkspace } from '../tools/workspace/workspace.ts'
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
export function assertContext(
  request: RunRequest,
  { instructions, previous }: Pick<RunStartOptions, 'instructions' | 'previous'>,
): void {
  const { messages, store, conversation_id: id, regenerate } = request
  if ((messages || previous) && (store !== false || id !== undefined || regenerate === true)) {
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
  agent: Pick<Agent, 'id' | 'workspace'>,
  { user_id: userId, messages, files = [] }: RunRequest,
  { instructions, storedFiles }: Pick<RunStartOptions, 'instructions' | 'storedFiles'>,
  question: ModelMessage | undefined,
): Promise<{ readonly given: GivenContext; readonly contents: readonly FileContent[] }> {
  const contents: FileContent[] = []
  const read = async (given: NonNullable<RunRequest['files']>): Promise<readonly FileReference[]> => {
    if (given.length === 0) return []
    const added = await readGivenFiles(context, agent, userId, given)
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

/** As `RunFile` allows of a file in a request. */
const maxFileBytes = 20 * 1024 * 1024

/**
 * Reads the files that a request brings along, those at a `path` from the agent's workspace for the user.
 *
 * @throws {RuntimeError} `validation_error` if the file does not exist, is empty or is too large.
 */
export async function readGivenFiles(
  { workspace, createId }: Pick<RunsContext, 'workspace' | 'createId'>,
  agent: Pick<Agent, 'id' | 'workspace'>,
  userId: string | undefined,
  files: readonly RunFile[],
): Promise<NewFiles> {
  const readPath = async (path: string) => {
    const folder = openWorkspace(await workspace(agent.id, agent.workspace === 'agent' ? undefined : userId))
    const { bytes, size } = await folder.read(path, 0, maxFileBytes)
    if (size > maxFileBytes)
      throw unusableFile(path, `must have at most ${maxFileBytes} bytes. Send a smaller file.`)
    if (bytes.length === 0) throw unusableFile(path, 'is empty. Send another file.')
    return bytes
  }
  return toNewFiles(await toGivenFiles(files, readPath), createId)
}

const unusableFile = (path: string, fault: string) =>
  new RuntimeError('validation_error', `Reading a file failed: "${path}" ${fault}`)

/** The conversation that a request names, and the message in it that the run answers, each if it exists. */
interface AskedConversation {
  readonly conversation?: StoredConversation | undefined
  readonly question?: StoredMessage | undefined
}

/**
 * @param asked `retried`: id of a question that an earlier attempt may have stored. `isFromOutside`: whether another program chose
 * the id of the conversation: it names none that a user chose
 * @throws {RuntimeError} `not_found` for a conversation of somebody else, `conflict` if what is regenerated is not the newest
 * question, or is being answered.
 */
export async function findAskedConversation(
  context: Pick<RunsContext, 'store'>,
  request: RunRequest,
  { retried, isFromOutside }: { readonly retried: string | undefined; readonly isFromOutside: boolean },
  signal: AbortSignal | undefined,
): Promise<AskedConversation> {
  const conversation = await findOwnConversation(context, request, isFromOutside, signal)
  if (!conversation) return {}
  if (retried !== undefined)
    return { conversation, question: await findMessage(context.store, conversation.id, retried, signal) }
  return { conversation, question: await findQuestion(context, request, conversation, signal) }
}

/** Whoever begins it meanwhile has it: then this run is not kept. */
async function findOwnConversation(
  { store }: Pick<RunsContext, 'store'>,
  request: RunRequest,
  isFromOutside: boolean,
  signal: AbortSignal | undefined,
): Promise<StoredConversation | undefined> {
  if (request.conversation_id === undefined) return undefined
  const { conversation_id: id, user_id: userId } = request
  const conversation = isFromOutside
    ? await store.findConversation(id, signal)
    : await findConversation(store, id, userId, signal)
  if (!conversation) return undefined // the run makes it
  if (isOwnConversation(conversation, { agentId: request.agent_id, userId: request.user_id }))
    return conversation
  throw notOwnConversation('Starting a run')
}

/** The question that is regenerated; undefined for a new one, and if none is stored yet. */
async function findQuestion(
  { store }: Pick<RunsContext, 'store'>,
  { regenerate, task }: RunRequest,
  { id, messageCount }: StoredConversation,
  signal: AbortSignal | undefined,
): Promise<StoredMessage | undefined> {
  if (!regenerate || messageCount === 0) return undefined
  const question = await findNewestQuestion(store, id, signal)
  if (question?.message.role === 'user') {
    const run = question.runId === undefined ? undefined : await store.findRun(question.runId, signal)
    // its run may have been asked this, and its guards kept something else of it
    const isSame = question.message.text === task || (run?.progress.input && run.task === task)
    if (isSame && (!run || run.finishedAt !== undefined)) return question
  }
  throw new RuntimeError(
    'conflict',
    'Regenerating the answer failed: only the latest message can be regenerated, and only after its answer has finished. Wait for it, or send this as a new message.',
  )
}

/** The message that a run answers, if its conversation has it. */
type Asked = Partial<
  Pick<NewAgentRun, 'conversationId' | 'conversationCreatedAt' | 'questionId' | 'questionSeq' | 'regenerates'>
>

export function toAsked({ conversation, question }: AskedConversation, regenerates = false): Asked {
  if (!conversation) return {}
  const { id: conversationId } = conversation // a caller for one user names it otherwise
  if (!question) return { conversationId }
  return {
    conversationId,
    conversationCreatedAt: conversation.createdAt,
    questionId: question.id,
    // an attempt reads what those before it have done
    questionSeq:
      regenerates || question.seq === conversation.messageCount
        ? question.seq
        : conversation.messageCount + 1,
    ...(regenerates && { regenerates }),
  }
}

const titleLength = 80

/** What a run asks, as its conversation gets it. */
export function toQuestion(run: NewAgentRun): ConversationAppend {
  const { id, conversationId, questionId, agentId, userId, task, files, tainted, createdAt: now } = run
  const title = cut(task.trim().split('\n', 1)[0] ?? '', titleLength)
  const message: ModelMessage = {
    role: 'user',
    text: task,
    ...(files && { files }),
    ...(tainted && { untrusted: true }),
  }
  return {
    conversationId,
    agentId,
    ...(userId !== undefined && { userId }),
    ...(title && { title }),
    messages: [{ id: questionId ?? `${id}.question`, message, runId: id }],
    now,
  }
}
