import { channelPlatforms, type ChannelId, type Run } from '@homeward/contract/agent-platform'
import { Hand } from 'lucide-react'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { AgentName } from '../agents/agent-name.tsx'
import { ApprovalView } from '../chat/approval-view.tsx'
import '../chat/chat.css'

/** As many runs as one looks at; the page of the runs has all. */
const shownRuns = '20'

/** What goes on only once a person has decided; shows nothing while nothing does. */
export function WaitingCard() {
  const runs = usePlatformQuery('listRuns', { query: { status: 'waiting', limit: shownRuns } })
  // A graph's run waits for the same as the run of its node, which has the approval.
  const waiting = runs.data?.runs.filter(({ approvals }) => approvals.some(isPending)) ?? []
  return (
    <>
      {runs.error && <ErrorState error={runs.error} isInline onRetry={() => void runs.refetch()} />}
      {waiting.length > 0 && (
        <Card
          title={
            <span className="row">
              <Hand aria-hidden className="overview-waiting-icon" /> Waits for you
            </span>
          }
          actions={<Link href="/runs?status=waiting">All of them</Link>}
        >
          {waiting.map((run) => (
            <WaitingRun key={run.id} run={run} />
          ))}
        </Card>
      )}
      {Object.keys(channelPlatforms).map((channel) => (
        <ChannelDecisions key={channel} channel={channel as ChannelId} />
      ))}
    </>
  )
}

const isPending = ({ status }: Run['approvals'][number]) => status === 'pending'

function WaitingRun({ run }: { readonly run: Run }) {
  return (
    <div className="stack" data-gap="small">
      <p className="foreign">
        <Link href={`/runs/${encodeURIComponent(run.id)}`}>
          {run.graph_id ?? <AgentName id={run.agent_id} />}
        </Link>{' '}
        <span className="muted">is asked: {run.task.slice(0, 300)}</span>
      </p>
      {run.approvals.filter(isPending).map(({ id, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId: run.id, tool, args }} />
      ))}
    </div>
  )
}

/** What a channel that is set up needs a person for. */
function ChannelDecisions({ channel }: { readonly channel: ChannelId }) {
  const { data } = usePlatformQuery('getChannelStatus', { params: { channel } })
  if (!data?.configured) return null
  return (
    <>
      <UncertainMessages channel={channel} />
      <PeopleWithCodes channel={channel} platform={data.platform} />
    </>
  )
}

/** People who got a pairing code, which is still valid. */
function PeopleWithCodes({ channel, platform }: { readonly channel: ChannelId; readonly platform: string }) {
  const { data } = usePlatformQuery('listChannelSenders', { params: { channel } })
  const count = data?.senders.filter(({ code }) => code !== undefined).length ?? 0
  if (count === 0) return null
  return (
    <Card title={`People on ${platform} wait for access`}>
      <p>
        Pairing codes that are valid: {count}.{' '}
        <Link href={`/channels/${channel}`}>Allow or block senders</Link>
      </p>
    </Card>
  )
}

/** Answers of which nobody can tell whether they arrived, or that did not. */
function UncertainMessages({ channel }: { readonly channel: ChannelId }) {
  const { data } = usePlatformQuery('getChannelStatus', { params: { channel } })
  if (!data?.configured) return null
  const { uncertain, failed } = data.messages
  if (uncertain + failed === 0) return null
  return (
    <Card title={`Answers on ${data.platform} need a decision`}>
      <p>
        {uncertain > 0 && `Of ${uncertain} nobody can tell whether they arrived. `}
        {failed > 0 && `${failed} did not arrive. `}
        <Link href={`/channels/${channel}`}>Decide what happens with them</Link>
      </p>
    </Card>
  )
}
