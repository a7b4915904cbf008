import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { PageHeader } from '../components/layout/page-header.tsx'
import { NoticesCard } from '../notices/notices-card.tsx'
import { AgentWebhooks } from './platform-webhooks.tsx'
import { DeviceWebhooks } from './device-webhooks.tsx'

/** Notifications of this browser, and webhooks for other programs. */
export function NotificationsPage() {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  const hasAgents = serves?.agents === true && !isLimited
  return (
    <>
      <PageHeader title="Notifications" description="Notify people and other programs of events." />
      {hasAgents && (
        <>
          <NoticesCard />
          <AgentWebhooks />
        </>
      )}
      {serves?.devices === true && <DeviceWebhooks />}
    </>
  )
}
