import { GitBranch, RotateCcw } from 'lucide-react'
import { use } from 'react'
import { CopyButton } from '../../components/buttons/copy-button.tsx'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { ChatActionsOfThread } from './chat-actions.ts'
import { textOf, type Turn } from './turn.ts'

/** What can be done with an answer: copy it, ask for another one, go on from here in a new conversation. */
export function TurnActions({ turn }: { readonly turn: Turn }) {
  const actions = use(ChatActionsOfThread)
  const text = textOf(turn)
  if (turn.status === 'running' || turn.status === 'waiting') return null
  return (
    <div className="chat-actions" role="group" aria-label="Actions for this answer">
      {text !== '' && <CopyButton text={text} label="Copy answer" isIconOnly />}
      {actions?.retriedId === turn.id && (
        <IconButton
          label="Retry"
          icon={<RotateCcw aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={actions.retry}
        />
      )}
      {actions && turn.createdAt !== undefined && (
        <IconButton
          label="Branch from here"
          icon={<GitBranch aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={() => actions.branch(turn)}
        />
      )}
    </div>
  )
}
