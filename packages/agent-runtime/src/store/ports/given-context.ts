import type { FileReference } from '../../ports/file.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { NewAgentRun } from './new-run.ts'

/** What the guards of the input left of a run's task and its {@link GivenContext}. Absent fields were not given. */
export interface CheckedInput
  extends
    Pick<GivenContext, 'history' | 'instructions'>,
    Pick<NewAgentRun, 'conversationCreatedAt' | 'questionSeq'> {
  readonly task: string
}

/** What a caller gives its run to read besides the task. It is stored with the run, so that a crash changes no prompt. */
export interface GivenContext {
  /** Earlier messages that the request brought along, in place of those of a conversation. */
  readonly history?: readonly ModelMessage[]
  /** What the caller adds to the agent's own instructions. */
  readonly instructions?: string
  /** Files that belong to the task; stored with the run. @default none */
  readonly files?: readonly FileReference[]
}
