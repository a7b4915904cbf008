import { Redirect } from 'wouter'
import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { PageHeader } from '../components/layout/page-header.tsx'
import { Checklist } from './checklist/checklist.tsx'
import { useIsChecklistHidden } from './checklist/use-first-steps.ts'
import { useFirstSteps } from './checklist/use-first-steps.ts'
import { FindBox } from '../navigation/find-box.tsx'
import { findFieldId } from '../navigation/find-shortcuts.tsx'
import { Pulse } from './pulse/pulse.tsx'
import { UrgentCards } from './urgent/urgent-cards.tsx'

/** The first page: ask or find, what needs a person, and how things have been. */
export function HomePage() {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  // Where only devices are served, they are what there is.
  if (serves?.agents === false) return <Redirect to="/devices" replace />
  if (isLimited) return <Redirect to="/chat" replace />
  return (
    <>
      <PageHeader title="Home" />
      <FindBox id={findFieldId} />
      <Now />
      <Pulse />
    </>
  )
}

/** What needs a person, and the first steps until they are done. */
function Now() {
  const isHidden = useIsChecklistHidden()
  const known = useFirstSteps(!isHidden)
  return (
    <>
      <UrgentCards isQuietShown={isHidden} />
      {!isHidden && known && <Checklist known={known} />}
    </>
  )
}
