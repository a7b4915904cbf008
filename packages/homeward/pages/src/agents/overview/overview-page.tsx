import { PageHeader } from '../../components/layout/page-header.tsx'
import { AgentsCard } from './agents-card.tsx'
import { FirstStep } from './first-step.tsx'
import './overview.css'
import { NextFiresCard } from './next-fires-card.tsx'
import { RunningCard } from './running-card.tsx'
import { WaitingCard } from './waiting-card.tsx'

/** The first page: what to do first, what waits for a person, what runs, and what comes next. */
export function OverviewPage() {
  return (
    <>
      <PageHeader title="Overview" />
      <FirstStep />
      <WaitingCard />
      <div className="overview">
        <RunningCard />
        <div className="stack">
          <AgentsCard />
          <NextFiresCard />
        </div>
      </div>
    </>
  )
}
