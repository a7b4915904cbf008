import { Bot } from 'lucide-react'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { QueryView } from '../../components/states/query-view.tsx'

const shownAgents = 8

/** The agents, each with the way to a chat. */
export function AgentsCard() {
  const agents = usePlatformQuery('listAgents')
  return (
    <Card title="Agents" actions={<Link href="/agents">All agents</Link>}>
      <QueryView
        query={agents}
        isEmpty={(reply) => reply.agents.length === 0}
        empty={<LinkButton href="/agents/_new">New agent</LinkButton>}
      >
        {(reply) => (
          <ul className="overview-list">
            {reply.agents.slice(0, shownAgents).map(({ id, name, model }) => (
              <li key={id} className="row">
                <Link className="overview-line grow" href={`/chat/${encodeURIComponent(id)}`}>
                  <Bot aria-hidden />
                  <span className="grow truncate foreign">
                    <strong>{name ?? id}</strong> <span className="muted">{model}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}
