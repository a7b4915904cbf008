import type { ChannelMessage } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { Notice } from '../components/states/notice.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge, type StatusTone } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { nameSettings } from '../settings/setting-texts.ts'

const tones: Readonly<Record<ChannelMessage['status'], StatusTone>> = {
  waiting: 'info',
  delivering: 'info',
  delivered: 'good',
  failed: 'bad',
  uncertain: 'warn',
  discarded: 'neutral',
}

/** One message with the way of its answer. */
export function ChannelMessageItem({ message }: { readonly message: ChannelMessage }) {
  const { sender, text, status, parts, failure, received_at, conversation_id, task_id } = message
  return (
    <li>
      <div className="row">
        <strong className="foreign">{sender === undefined ? 'Agent' : (sender.name ?? sender.id)}</strong>
        <StatusBadge status={status} tone={tones[status]} />
        {parts.total > 1 && (
          <span className="muted small">
            {parts.sent} of {parts.total} parts arrived
          </span>
        )}
        <span className="muted small">
          <RelativeTime value={received_at} />
        </span>
      </div>
      {text !== '' && (
        <p className="foreign channel-message-text" dir="auto">
          {text}
        </p>
      )}
      {failure && (
        <Notice tone={status === 'uncertain' ? 'warn' : 'bad'} actions={<Decisions message={message} />}>
          {nameSettings(failure.message)}
        </Notice>
      )}
      <div className="row small">
        <Link href={`/conversations/${encodeURIComponent(conversation_id)}`}>Conversation</Link>
        {task_id !== undefined && <Link href={`/tasks/${encodeURIComponent(task_id)}`}>Task</Link>}
      </div>
    </li>
  )
}

/** A person decides about an answer of which the platform said nothing clear. */
function Decisions({ message: { channel, id, status } }: { readonly message: ChannelMessage }) {
  const resolve = usePlatformMutation('resolveChannelMessage', {
    invalidates: ['listChannelMessages', 'getChannelStatus'],
  })
  if (status !== 'uncertain' && status !== 'failed') return null
  const decide = async (decision: 'resend' | 'discard') => {
    await resolve.mutateAsync({ params: { channel, id }, body: { decision } })
    showToast({ title: decision === 'resend' ? 'Answer queued again' : 'Answer discarded' })
  }
  return (
    <>
      <ConfirmDialog
        title="Send the answer again?"
        confirmLabel="Resend"
        isDanger={false}
        onConfirm={() => decide('resend')}
        trigger={<Button>Resend</Button>}
      >
        <p>
          {status === 'uncertain'
            ? 'Parts that may not have arrived are sent again, so the person may get them twice.'
            : 'Parts that have not arrived are sent again.'}
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Discard this answer?"
        confirmLabel="Discard"
        onConfirm={() => decide('discard')}
        trigger={<Button variant="quiet">Discard</Button>}
      >
        <p>The answer will not be sent again.</p>
      </ConfirmDialog>
    </>
  )
}
