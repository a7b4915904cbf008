import type { ChannelSender } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge, type StatusTone } from '../components/states/status-badge.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const sections: readonly {
  readonly status: ChannelSender['status']
  readonly title: string
  readonly tone: StatusTone
}[] = [
  { status: 'pending', title: 'Waiting', tone: 'warn' },
  { status: 'allowed', title: 'Allowed', tone: 'good' },
  { status: 'blocked', title: 'Blocked', tone: 'bad' },
]

/** People and groups that wait to be let in, are allowed or are blocked. */
export function ChannelSenders({ channel }: { readonly channel: string }) {
  const query = usePlatformQuery('listChannelSenders', { params: { channel } })
  return (
    <div className="stack">
      <PairSender channel={channel} />
      <QueryView
        query={query}
        isEmpty={({ senders }) => senders.length === 0}
        empty={<p className="muted">People and groups appear here after their first message.</p>}
      >
        {({ senders }) =>
          sections.map(({ status, title, tone }) => {
            const found = senders.filter((sender) => sender.status === status)
            if (found.length === 0) return null
            return (
              <section key={status} aria-label={title}>
                <h3>{title}</h3>
                <ul className="channel-messages">
                  {found.map((sender) => (
                    <SenderItem key={sender.id} channel={channel} sender={sender} tone={tone} />
                  ))}
                </ul>
              </section>
            )
          })
        }
      </QueryView>
    </div>
  )
}

interface SenderItemProps {
  readonly channel: string
  readonly sender: ChannelSender
  readonly tone: StatusTone
}

function SenderItem({ channel, sender, tone }: SenderItemProps) {
  const { id, name, kind, status, code, last_seen_at, user_id: userId } = sender
  return (
    <li>
      <div className="row">
        <strong className="foreign">{name ?? id}</strong>
        <StatusBadge status={status} tone={tone} />
        {kind === 'group' && <span className="muted small">Group</span>}
        {name !== undefined && <code className="foreign small">{id}</code>}
        {code !== undefined && (
          <span className="small">
            Code <code>{code}</code>
          </span>
        )}
        {kind === 'person' && status === 'allowed' && (
          <span className="muted small">
            User <code className="foreign">{userId}</code>
          </span>
        )}
        <span className="muted small">
          <RelativeTime value={last_seen_at} />
        </span>
      </div>
      <SenderActions channel={channel} sender={sender} />
      {kind === 'person' && status === 'allowed' && <LinkSender channel={channel} sender={sender} />}
    </li>
  )
}

/** Lets the messages of a person belong to a user, such as one who signs in on the pages. */
function LinkSender({ channel, sender: { id, name = id, user_id: userId } }: Omit<SenderItemProps, 'tone'>) {
  const [user, setUser] = useState(userId)
  const [isOpen, setIsOpen] = useState(false)
  const change = usePlatformMutation('setChannelSender', { invalidates: ['listChannelSenders'] })
  const link = (next: string | null) =>
    change.mutate({ params: { channel, id }, body: { user_id: next } }, { onSuccess: () => setIsOpen(false) })
  if (!isOpen)
    return (
      <Button variant="quiet" onPress={() => setIsOpen(true)}>
        Change user
      </Button>
    )
  const { fields, rest } = toFieldErrors(change.error, ['user_id'])
  return (
    <SubmitForm onSubmit={() => link(user.trim())} error={change.error}>
      <TextField
        label={`User of ${name}`}
        value={user}
        onChange={setUser}
        errorMessage={fields.user_id}
        description="Memories and conversations of the person move to this user. Files, budgets and logins stay."
        autoComplete="off"
        spellCheck="false"
      />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <Button variant="quiet" onPress={() => setIsOpen(false)}>
          Cancel
        </Button>
        <Button variant="quiet" isPending={change.isPending} onPress={() => link(null)}>
          Own user
        </Button>
        <Button type="submit" isPending={change.isPending} isDisabled={user.trim() === ''}>
          Link
        </Button>
      </div>
    </SubmitForm>
  )
}

function SenderActions({ channel, sender: { id, name = id, kind, status } }: Omit<SenderItemProps, 'tone'>) {
  const change = usePlatformMutation('setChannelSender', {
    invalidates: ['listChannelSenders', 'getChannelStatus'],
  })
  const decide = (decision: 'allowed' | 'blocked') =>
    change.mutateAsync({ params: { channel, id }, body: { status: decision } })
  return (
    <div className="row">
      {status !== 'allowed' && (
        <ConfirmDialog
          title={`Allow ${name}?`}
          confirmLabel="Allow"
          isDanger={false}
          onConfirm={() => decide('allowed')}
          trigger={<Button>Allow</Button>}
        >
          <p>
            {kind === 'group'
              ? 'Every member of this group can then use the agent.'
              : 'This person can then use the agent with all its tools, and decide approvals.'}
          </p>
        </ConfirmDialog>
      )}
      {status !== 'blocked' && (
        <ConfirmDialog
          title={`Block ${name}?`}
          confirmLabel="Block"
          onConfirm={() => decide('blocked')}
          trigger={<Button variant="quiet">Block</Button>}
        >
          <p>Messages of this sender will get no reply.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Lets a person in by the code that they got in the chat. */
function PairSender({ channel }: { readonly channel: string }) {
  const [code, setCode] = useState('')
  const pair = usePlatformMutation('pairChannelSender', {
    invalidates: ['listChannelSenders', 'getChannelStatus'],
    onSuccess({ sender }) {
      setCode('')
      showToast({ title: `${sender.name ?? sender.id} allowed` })
    },
  })
  const { fields, rest } = toFieldErrors(pair.error, ['code'])
  return (
    <SubmitForm
      onSubmit={() => pair.mutate({ params: { channel }, body: { code: code.trim() } })}
      error={pair.error}
    >
      <TextField
        label="Pairing code"
        value={code}
        onChange={setCode}
        errorMessage={fields.code}
        description="Unknown people get a code in the chat, valid for one hour. Enter the code to allow the person."
        autoComplete="off"
        spellCheck="false"
      />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <Button type="submit" isPending={pair.isPending} isDisabled={code.trim() === ''}>
          Allow
        </Button>
      </div>
    </SubmitForm>
  )
}
