import type { FileReference } from '../ports/file.ts'
import type { ModelMessage } from '../ports/message.ts'

/** Files of a task, and of the messages that its request brought along. */
export function filesOf(run: {
  readonly files?: readonly FileReference[]
  readonly history?: readonly ModelMessage[]
}): readonly FileReference[] {
  const earlier = (run.history ?? []).flatMap((message) => (message.role === 'user' && message.files) || [])
  return [...(run.files ?? []), ...earlier]
}
