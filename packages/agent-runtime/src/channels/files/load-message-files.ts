import type { LoadedFile } from '../../ports/channel.ts'
import type { FileReference } from '../../ports/file.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Transcriber } from '../../models/transcriber.ts'
import { toNewFiles } from '../../files/to-files.ts'
import type { StoredInboundFile } from '../../store/ports/channel-input.ts'
import type { StoredChannelMessage } from '../../store/ports/channel-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'
import { ChannelError } from '../channel-error.ts'
import type { ChannelSet } from '../channel-set.ts'
import { describeFile, describeMessage, maxFileBytes } from './describe-file.ts'
import { sleep } from '@homeward/kit'
import { RuntimeError } from '../../ports/runtime-error.ts'

/**
 * Loads the files of the message that a task answers, and stores them with the task.
 *
 * @returns the task with its files; undefined if another process has it by now.
 */
export type LoadMessageFiles = (task: StoredTask, signal: AbortSignal) => Promise<StoredTask | undefined>

/** What {@link createLoadMessageFiles} is built from. */
export interface MessageFilesOptions {
  readonly store: Pick<RuntimeStore, 'findChannelMessage' | 'findFile' | 'saveFiles' | 'saveLoadedInput'>
  readonly set: Pick<ChannelSet, 'current'>
  /** Id of this runtime. */
  readonly owner: string
  /** Turns voice messages into text. They stay files if it is undefined or gives undefined. */
  readonly transcribe?: Transcriber['transcribe']
  /** Whether the model of an agent reads files of a type. */
  readonly canRead: (agentId: string, file: FileReference) => Promise<boolean>
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** What has become of a file: a file of the run, what it says, or a line of the text about it. */
type Loaded = { readonly file: FileReference } | { readonly said: string } | { readonly line: string }

/** Builds {@link LoadMessageFiles}. */
export function createLoadMessageFiles(options: MessageFilesOptions): LoadMessageFiles {
  const { store, set, owner, canRead, logger, now, createId } = options

  /** Stores a file that was loaded, with the task. */
  async function keep(task: StoredTask, file: StoredInboundFile, loaded: LoadedFile, number: number) {
    const { name, mediaType = loaded.mediaType } = file
    const given = { name, media_type: mediaType, data: loaded.content }
    const { files, contents } = await toNewFiles([given], createId, number)
    const timestamp = new Date(now()).toISOString()
    await store.saveFiles({ owner: { kind: 'task', id: task.id }, files, contents, now: timestamp })
    return files
  }

  async function load(
    task: StoredTask,
    message: StoredChannelMessage,
    { file, number }: { readonly file: StoredInboundFile; readonly number: number },
    signal: AbortSignal,
  ): Promise<Loaded> {
    if (file.problem !== undefined) return { line: describeFile(file, file.problem) }
    let loaded: LoadedFile | undefined
    try {
      if (!file.stored) loaded = await download(set, message.channel, file, signal)
    } catch (error) {
      if (signal.aborted || !ChannelError.is(error)) throw error
      const { message: reason, code } = error
      logger.warn('Loading a file of a message failed.', { messageId: message.id, reason })
      const problem = code === 'too_long' ? 'larger than 20 MB' : 'could not be downloaded'
      return { line: describeFile(file, problem) }
    }
    if (file.kind === 'voice message') {
      const heard = await hear({ ...options, messageId: message.id }, file, loaded, signal)
      if (heard) return heard
    }
    const [stored] = file.stored ? [file.stored] : loaded ? await keep(task, file, loaded, number) : []
    if (!stored) return { line: describeFile(file, 'could not be downloaded') }
    if (await canRead(task.subject.id, stored)) return { file: stored }
    return {
      line: describeFile({ ...file, bytes: stored.bytes }, 'the model cannot read files of this type'),
    }
  }

  return async (task, signal) => {
    const messageId = task.metadata?.['message_id']
    const message = typeof messageId === 'string' ? await store.findChannelMessage(messageId) : undefined
    if (message?.files === undefined || message.taskId !== task.id) return task
    const loaded: Loaded[] = []
    for (const [index, file] of message.files.entries()) {
      signal.throwIfAborted()
      loaded.push(await load(task, message, { file, number: index + 1 }, signal))
    }
    const { text, files, lines } = join(message.text, message.files, loaded)
    // a group's task begins with the speaker
    const before = task.input.slice(0, task.input.length - message.text.length)
    const input = [before + text, ...lines].join('\n')
    const change = { messageId: message.id, taskId: task.id, owner, text, input, files }
    return (await store.saveLoadedInput(change)) ? { ...task, input, files } : undefined
  }
}

/** Puts together what files have become. What was said takes the place of a text that only names the files. */
function join(text: string, files: readonly StoredInboundFile[], loaded: readonly Loaded[]) {
  const said = loaded.flatMap((each) => ('said' in each ? each.said : []))
  const isOwn = said.length === 0 || text !== describeMessage(files)
  return {
    text: [...(isOwn ? [text] : []), ...said].join('\n'),
    files: loaded.flatMap((each) => ('file' in each ? each.file : [])),
    lines: loaded.flatMap((each) => ('line' in each ? each.line : [])),
  }
}

/** Waits before further tries, in milliseconds. */
const retryDelaysMs = [1000, 4000]

/**
 * Downloads a file, after some waiting if the platform could not be reached.
 *
 * @throws {ChannelError}
 */
async function download(
  set: Pick<ChannelSet, 'current'>,
  channelId: string,
  { reference, bytes = 0 }: StoredInboundFile,
  signal: AbortSignal,
): Promise<LoadedFile> {
  const channel = (await set.current()).get(channelId)?.channel
  if (!channel?.loadFile || reference === undefined)
    throw new ChannelError(
      'permanent',
      'Loading a file failed: the channel does not support files. Implement "loadFile".',
    )
  if (bytes > maxFileBytes) throw tooLarge()
  for (const delayMs of [...retryDelaysMs, undefined]) {
    try {
      const loaded = await channel.loadFile(reference, { signal, maxBytes: maxFileBytes })
      if (loaded.content.length > maxFileBytes) throw tooLarge()
      return loaded
    } catch (error) {
      const mayPass = ChannelError.is(error) && (error.code === 'temporary' || error.code === 'rate_limited')
      if (signal.aborted || !mayPass || delayMs === undefined) throw error
      await sleep(Math.min(Math.max(delayMs, error.retryAfterMs ?? 0), 30_000), signal)
    }
  }
  throw tooLarge() // not reached: the last try returns or throws
}

const tooLarge = () =>
  new ChannelError(
    'too_long',
    'Loading a file failed: the file is too large. Ask the person for a smaller file.',
  )

/** What turning voice messages into text needs. */
interface Hearing {
  readonly store: Pick<RuntimeStore, 'findFile'>
  readonly transcribe?: Transcriber['transcribe']
  readonly logger: Logger
  readonly messageId: string
}

/** Turns a voice message into text. @returns undefined if voice messages stay files. */
async function hear(
  { store, transcribe, logger, messageId }: Hearing,
  file: StoredInboundFile,
  loaded: LoadedFile | undefined,
  signal: AbortSignal,
): Promise<{ readonly said: string } | { readonly line: string } | undefined> {
  const content = loaded?.content ?? (file.stored && (await store.findFile(file.stored.id))?.content)
  if (content === undefined) return undefined
  const mediaType = file.mediaType ?? loaded?.mediaType ?? 'audio/ogg'
  try {
    const said = await transcribe?.({ content, mediaType }, signal)
    if (said === undefined) return undefined
    return said === '' ? { line: describeFile(file, 'nothing was said') } : { said }
  } catch (error) {
    if (signal.aborted) throw error
    logger.warn('Transcribing a voice message failed.', {
      messageId,
      reason: toReason(error),
    })
    return { line: describeFile(file, 'could not be transcribed') }
  }
}

/** A failure of a model in words. What the provider wrote may hold a part of the key. */
function toReason(error: unknown): string {
  if (RuntimeError.is(error)) return error.message
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? `the model replied with HTTP ${status}` : 'the model gave no response'
}
