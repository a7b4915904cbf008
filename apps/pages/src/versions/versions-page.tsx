import type { ReplyOf } from '@homeward/contract'
import type { Agent, AgentPlatformOperations, AgentVersion } from '@homeward/contract/agent-platform'
import { FlaskConical, History } from 'lucide-react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { AgentChanges } from './agent-changes.tsx'

const agents = { href: '/agents', label: 'Agents' }
const versionsOf = ({ versions }: ReplyOf<AgentPlatformOperations['listAgentVersions']>) => versions

/** The versions of an agent: who changed what, and a way back to each. */
export function VersionsPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getAgent', { params: { id } })
  const name = query.data?.agent.name ?? id
  return (
    <>
      <PageHeader
        title={`Versions of ${name}`}
        description="Each change of the agent, the newest first. The server stores 200 of them."
        back={{ href: `/agents/${id}`, label: name }}
        actions={
          <LinkButton href={`/agents/${id}/what-if`} icon={<FlaskConical aria-hidden />}>
            Try a change
          </LinkButton>
        }
      />
      <QueryView query={query} missing={<MissingState kind="agent" id={id} list={agents} />}>
        {({ agent }) => <VersionList agent={agent} />}
      </QueryView>
    </>
  )
}

function VersionList({ agent }: { readonly agent: Agent }) {
  const query = usePlatformPages(
    'listAgentVersions',
    { params: { id: agent.id }, query: { limit: '50' } },
    { select: versionsOf },
  )
  return (
    <QueryView
      query={query}
      isEmpty={(versions) => versions.length === 0}
      empty={
        <EmptyState title="No versions yet" icon={<History aria-hidden />}>
          The next change of this agent appears here.
        </EmptyState>
      }
    >
      {(versions) => (
        <div className="stack">
          {versions.map((version) => (
            <VersionCard key={version.version} agent={agent} version={version} />
          ))}
          {query.loadMore && (
            <Button isPending={query.isFetchingNextPage} onPress={query.loadMore}>
              Show older versions
            </Button>
          )}
        </div>
      )}
    </QueryView>
  )
}

interface VersionCardProps {
  readonly agent: Agent
  readonly version: AgentVersion
}

function VersionCard({ agent, version: { version, created_at, actor, changes } }: VersionCardProps) {
  const isCurrent = version === agent.version
  const isLimited = useIsLimited()
  return (
    <Card
      title={isCurrent ? `Version ${version}, in use` : `Version ${version}`}
      actions={!isCurrent && !isLimited && <RestoreVersion agent={agent} version={version} />}
    >
      <p className="muted small">
        <RelativeTime value={created_at} /> {actorText(actor)}
      </p>
      {version === 1 ? (
        <Disclosure title={`Created with ${changes.length} fields`}>
          <AgentChanges changes={changes} />
        </Disclosure>
      ) : (
        <AgentChanges changes={changes} />
      )}
    </Card>
  )
}

/** The author of a change, as the server names callers. */
function actorText(actor: string | undefined): string {
  if (actor === undefined) return 'by a program or a file'
  if (actor === 'local') return 'on this machine'
  return actor.startsWith('token:') ? `with the access token ${actor.slice('token:'.length)}` : `by ${actor}`
}

function RestoreVersion({ agent, version }: { readonly agent: Agent; readonly version: number }) {
  const restore = usePlatformMutation('restoreAgentVersion', {
    invalidates: ['getAgent', 'listAgents', 'listAgentVersions', 'listSchedules'],
    onSuccess({ agent: now }) {
      const isNew = now.version !== agent.version
      showToast({
        title: isNew ? `Version ${version} restored` : 'No differences',
        text: isNew
          ? `The agent now has version ${now.version}, which applies to new runs.`
          : 'The agent already has the fields of this version.',
      })
    },
  })
  return (
    <ConfirmDialog
      title={`Restore version ${version}?`}
      confirmLabel="Restore"
      isDanger={false}
      trigger={<Button aria-label={`Restore version ${version}`}>Restore</Button>}
      onConfirm={async () => restore.mutateAsync({ params: { id: agent.id, version: String(version) } })}
    >
      <p>
        All fields of the agent become as they were in version {version}. This makes a new version, so you can
        come back to the current version.
      </p>
    </ConfirmDialog>
  )
}
