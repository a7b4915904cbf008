import type { Agent } from '@homeward/contract/agent-platform'
import { MessageCircle, MonitorSmartphone, Plus } from 'lucide-react'
import { usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { QueryView } from '../../components/states/query-view.tsx'

/** The agent that the example server creates. */
const demoId = 'demo'

/** The one thing to do for somebody who is here for the first time, and the way to the devices. */
export function FirstStep() {
  const agents = usePlatformQuery('listAgents')
  return <QueryView query={agents}>{(reply) => <Step agents={reply.agents} />}</QueryView>
}

function Step({ agents }: { readonly agents: readonly Agent[] }) {
  const agent = agents.find(({ id }) => id === demoId) ?? agents[0]
  return (
    <section className="overview-step" aria-labelledby="first-step">
      <div className="overview-step-text">
        <h2 id="first-step">{agent ? `Talk to ${agent.name ?? agent.id}` : 'Create your first agent'}</h2>
        <p className="muted">
          {agent?.id === demoId && 'Ask, for example, which devices you have: its tools look them up.'}
          {agent && agent.id !== demoId && 'Write a message, and see what it does to answer.'}
          {!agent && 'An agent has a model, a personality and skills.'}
        </p>
      </div>
      <div className="row">
        {agent ? (
          <LinkButton
            variant="primary"
            href={`/chat/${encodeURIComponent(agent.id)}`}
            icon={<MessageCircle aria-hidden />}
          >
            Start a chat
          </LinkButton>
        ) : (
          <LinkButton variant="primary" href="/agents/_new" icon={<Plus aria-hidden />}>
            New agent
          </LinkButton>
        )}
        <DevicesLink />
      </div>
    </section>
  )
}

/** To the devices, where the server knows their address. */
function DevicesLink() {
  const other = useServerFacts()?.other
  if (!other) return null
  return (
    <LinkButton href={other.url} rel="external" icon={<MonitorSmartphone aria-hidden />}>
      See the devices
    </LinkButton>
  )
}
