import {
  type Agent,
  type ChannelId,
  channelPlatforms,
  type ChannelSender,
  type UsageReport,
} from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQueries, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { RememberedApprovals } from '../components/agents/remembered-approvals.tsx'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { Card } from '../components/layout/card.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { QueryView, type ViewedQuery } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'
import { channelNames } from '../settings/setting-texts.ts'
import { formatUsd } from '../usage/format-usage.ts'
import { everyChannel, leftOf, periodOfUsers, toUserUsage } from './agent-users.ts'

interface UserProps {
  readonly userId: string
}

/** Properties of {@link UserView}. */
interface UserViewProps extends UserProps {
  readonly agent: Agent
  readonly report: ViewedQuery<UsageReport>
}

/** One user of an agent: usage, work, decisions, logins and senders. */
export function UserView({ agent, userId, report }: UserViewProps) {
  return (
    <div className="stack">
      <Card title={periodOfUsers(agent) === 'day' ? 'Usage today (UTC)' : 'Usage this month (UTC)'}>
        <QueryView query={report}>
          {({ usage }) => <UsageFacts agent={agent} userId={userId} usage={usage} />}
        </QueryView>
      </Card>
      <WorkOfUser agentId={agent.id} userId={userId} />
      <RememberedApprovals agentId={agent.id} userId={userId} />
      <Logins userId={userId} />
      <Senders userId={userId} />
    </div>
  )
}

function UsageFacts({ agent, userId, usage }: Omit<UserViewProps, 'report'> & Pick<UsageReport, 'usage'>) {
  const used = toUserUsage(usage, userId)
  return (
    <>
      <Facts
        facts={[
          ['Model calls', formatCount(used.calls)],
          ['Tokens in', formatCount(used.inputTokens)],
          ['Tokens out', formatCount(used.outputTokens)],
          ['Cost', used.costUsd === undefined ? undefined : formatUsd(used.costUsd)],
          ['Budget left', leftOf(agent, used) ?? 'no budget'],
        ]}
      />
      {agent.user_budget && (
        <p className="muted small">
          Agents that this agent calls also use up the budget. Their calls are not included here.
        </p>
      )}
    </>
  )
}

const mostWaits = 100

function WorkOfUser({ agentId, userId }: UserProps & { readonly agentId: string }) {
  const query = usePlatformQuery('listWaits', {
    query: { agent_id: agentId, user_id: userId, limit: String(mostWaits) },
  })
  const [agent, user] = [encodeURIComponent(agentId), encodeURIComponent(userId)]
  return (
    <Card title="Work">
      <QueryView query={query}>
        {({ waits, next_cursor: next }) => (
          <p>
            Open waits: {waits.length}
            {next !== undefined && ' or more'}
          </p>
        )}
      </QueryView>
      <div className="row">
        <LinkButton href={`/runs?agent_id=${agent}&user_id=${user}`}>Runs</LinkButton>
        <LinkButton href={`/conversations?agent=${agent}&user=${user}`}>Conversations</LinkButton>
        <LinkButton href={`/waiting?user=${user}`}>Waits</LinkButton>
        <LinkButton href={`/memory?agent_id=${agent}&user_id=${user}`}>Memories</LinkButton>
      </div>
    </Card>
  )
}

/** Logins of a user at the MCP servers to which each user logs in. */
function Logins({ userId }: UserProps) {
  const query = usePlatformQuery('listMcpServers')
  return (
    <Card title="Logins at MCP servers">
      <QueryView query={query}>
        {({ servers }) => {
          const personal = servers.filter(({ login }) => login === 'user')
          return personal.length === 0 ? (
            <p className="muted">No MCP server has logins of users.</p>
          ) : (
            <ul className="stack" data-gap="small">
              {personal.map(({ name }) => (
                <LoginItem key={name} server={name} userId={userId} />
              ))}
            </ul>
          )
        }}
      </QueryView>
    </Card>
  )
}

function LoginItem({ server, userId }: UserProps & { readonly server: string }) {
  const input = { params: { name: server }, query: { user_id: userId } }
  const query = usePlatformQuery('listMcpLogins', input)
  const remove = usePlatformMutation('deleteMcpLogin', { invalidates: ['listMcpLogins'] })
  async function confirm(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { name: server, user_id: userId } }))
    showToast({ title: 'Login deleted', text: server })
  }
  return (
    <li>
      <QueryView query={query}>
        {({ logins: [login] }) => (
          <div className="row">
            <span className="grow foreign">
              <strong>{server}</strong>{' '}
              <span className="muted small">
                {login ? (
                  <>
                    logged in <RelativeTime value={login.created_at} />
                  </>
                ) : (
                  'not logged in'
                )}
              </span>
            </span>
            {login && (
              <ConfirmDialog
                title={`Delete login to ${server}?`}
                confirmLabel="Delete login"
                onConfirm={confirm}
                trigger={<Button aria-label={`Delete login to ${server}`}>Delete login</Button>}
              >
                <p>The next run of {userId} that needs the server waits for a new login.</p>
              </ConfirmDialog>
            )}
          </div>
        )}
      </QueryView>
    </li>
  )
}

/** People in messengers whose messages belong to a user. */
function Senders({ userId }: UserProps) {
  const replies = usePlatformQueries('listChannelSenders', everyChannel)
  const isNone = replies.every((reply) => reply && sendersOf(reply.senders, userId).length === 0)
  return (
    <Card title="Linked senders">
      {isNone && <p className="muted">No person in a channel belongs to this user.</p>}
      {everyChannel.map(({ params: { channel } }) => (
        <SendersOfChannel key={channel} channel={channel} userId={userId} />
      ))}
    </Card>
  )
}

const sendersOf = (senders: readonly ChannelSender[], userId: string) =>
  senders.filter(({ kind, user_id }) => kind === 'person' && user_id === userId)

function SendersOfChannel({ channel, userId }: UserProps & { readonly channel: ChannelId }) {
  const query = usePlatformQuery('listChannelSenders', { params: { channel } })
  return (
    <QueryView
      query={query}
      isEmpty={({ senders }) => sendersOf(senders, userId).length === 0}
      empty={null}
      loadingLabel={`Loading ${channelNames[channel]} …`}
    >
      {({ senders }) => (
        <ul className="stack" data-gap="small" aria-label={channelNames[channel]}>
          {sendersOf(senders, userId).map((sender) => (
            <SenderItem key={sender.id} channel={channel} sender={sender} />
          ))}
        </ul>
      )}
    </QueryView>
  )
}

interface SenderItemProps {
  readonly channel: ChannelId
  readonly sender: ChannelSender
}

function SenderItem({ channel, sender: { id, name = id, status, user_id: userId } }: SenderItemProps) {
  const change = usePlatformMutation('setChannelSender', { invalidates: ['listChannelSenders'] })
  async function confirm(): Promise<void> {
    await change.mutateAsync({ params: { channel, id }, body: { user_id: null } })
    showToast({ title: 'Sender unlinked', text: name })
  }
  const ownUser = `${channelPlatforms[channel]}:${id}`
  return (
    <li className="row">
      <span className="grow foreign">
        <strong>{name}</strong>{' '}
        <span className="muted small">
          {channelNames[channel]}, {status}
        </span>
      </span>
      {userId !== ownUser && (
        <ConfirmDialog
          title={`Unlink ${name}?`}
          confirmLabel="Unlink"
          onConfirm={confirm}
          trigger={<Button aria-label={`Unlink ${name}`}>Unlink</Button>}
        >
          <p className="foreign">
            Later messages of this person belong to {ownUser}. Earlier memories and conversations stay with{' '}
            {userId}.
          </p>
        </ConfirmDialog>
      )}
    </li>
  )
}
