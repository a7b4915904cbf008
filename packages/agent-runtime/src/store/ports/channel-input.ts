import type { InboundFile } from '../../ports/channel-file.ts'
import type { FileReference } from '../../ports/file.ts'

/** A file of a message that has yet to be loaded. */
export interface StoredInboundFile extends Omit<InboundFile, 'content'> {
  /** Present if the bytes came with the message: the file belongs to its task. */
  readonly stored?: FileReference
}

/** What the text and the files of a message have become, for the run that answers it. */
export interface LoadedInput {
  readonly messageId: string
  readonly taskId: string
  /** Owner of the lease of the task. */
  readonly owner: string
  /** The text of the message, with what its voice messages say. */
  readonly text: string
  /** The input of the task. */
  readonly input: string
  /** Files of the task, whose bytes are stored. */
  readonly files: readonly FileReference[]
}
