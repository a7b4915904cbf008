import type { DocumentSource } from '@homeward/contract/agent-platform'
import { toFileReference } from '../../files/to-files.ts'
import type { FileReference } from '../../ports/file.ts'
import type { Channel } from '../../ports/channel.ts'
import type { Delivery, NewOutPart } from '../../store/ports/channel-store.ts'
import { ChannelError } from '../channel-error.ts'
import { maxFileBytes as largest, toSize } from '../files/describe-file.ts'
import { refusalReason } from '../../ports/guard-errors.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'

/**
 * An answer as the parts that are sent: its text, then its files. A sentence says which files the platform does not take.
 *
 * @returns an error if the text cannot be rendered.
 */
export function toOutbox(channel: Channel, delivery: Delivery): readonly NewOutPart[] | ChannelError {
  const { sendFile, maxFileBytes = largest } = channel
  const sent = sendFile ? filesOf(delivery).filter(({ bytes }) => bytes <= maxFileBytes) : []
  const text = toText(delivery, sent)
  const refused = new ChannelError(
    'permanent',
    'Formatting the answer failed: the channel could not render it. Correct its "render".',
  )
  try {
    const parts = channel.render(text)
    return parts.length === 0 ? refused : [...parts, ...sent.map((file) => ({ text: '', plain: '', file }))]
  } catch {
    return refused
  }
}

/** What is said, in Markdown. @param sent Files that go along; a sentence stands for the others. */
export function toText(delivery: Delivery, sent: readonly FileReference[]): string {
  const files = filesOf(delivery)
  const left = files.filter(({ id }) => !sent.some((one) => one.id === id)).map(toSentence)
  return [textOf(delivery, files.length), ...left, ...toSourceLine(delivery)].join('\n\n')
}

function textOf({ message, task }: Delivery, files: number): string {
  if (message.answer !== undefined) return message.answer
  const isSilent = task?.status === 'completed' && (task.result?.output ?? '').trim() === ''
  if (isSilent && files > 0) return files === 1 ? 'Here is a file.' : `Here are ${files} files.`
  return message.isReport ? reportText(task) : answerText(task)
}

/** Files that the run made. */
export function filesOf({ message, task }: Delivery): readonly FileReference[] {
  if (message.sentFiles !== undefined) return message.sentFiles
  const { status, result } = task ?? {}
  if (message.answer !== undefined || status !== 'completed' || !result || !('files' in result)) return []
  return (result.files ?? []).map(toFileReference)
}

const maxNamed = 10

/** A line with the documents that the answer may rest on. */
function toSourceLine({ message, task }: Delivery): readonly string[] {
  const { status, result } = task ?? {}
  if (message.answer !== undefined || status !== 'completed' || !result || !('sources' in result)) return []
  const names = (result.sources ?? []).flatMap((source) => ('document_id' in source ? [toPlace(source)] : []))
  const shown = [...new Set(names)].slice(0, maxNamed)
  return shown.length > 0 ? [`Sources: ${shown.join(', ')}`] : []
}

const toPlace = ({ name, page }: DocumentSource) =>
  `\`${name.replaceAll('`', "'")}\`${page === undefined ? '' : ` (page ${page})`}`

/** As code, so that a name is not read as Markdown. */
const toSentence = ({ name, bytes }: FileReference) =>
  `The file \`${name.replaceAll('`', "'")}\` (${toSize(bytes)}) cannot be sent here.`

const apology = 'Sorry, something went wrong and I could not answer. Please try again.'
const stopped = 'The task was stopped before I had an answer.'
const silence = 'I have no answer to this.'

/** What a person gets for a message: the answer, or a short apology that tells nothing from inside. */
function answerText(task: StoredTask | undefined): string {
  if (task?.status !== 'completed') return failureText(task)
  const output = task.result?.output ?? ''
  return output.trim() === '' ? silence : output
}

/** A guard's reason is written for those who ask; nothing else from inside is. */
function failureText(task: StoredTask | undefined): string {
  const { code, message } = task?.failure ?? {}
  if (code === 'cancelled') return stopped
  const reason = code === 'guard_refused' ? refusalReason(message) : undefined
  return reason === undefined ? apology : `I cannot answer this: ${reason}`
}

/** What a chat gets about a task that nobody asked for there: the result, or how the task failed. */
function reportText(task: StoredTask | undefined): string {
  if (task === undefined) return 'A task has ended, but its result was already deleted.'
  const who = `The task of agent ${task.subject.id}`
  const { status, failure } = task
  if (status !== 'completed') {
    if (failure?.code === 'cancelled') return `${who} was stopped before it had a result.`
    return `${who} failed: ${failure?.message ?? 'unknown reason.'}`
  }
  const output = task.result?.output ?? ''
  return output.trim() === '' ? `${who} has ended without an output.` : output
}
