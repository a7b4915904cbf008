import { Bot, MonitorSmartphone } from 'lucide-react'
import { Link } from 'react-aria-components'
import { useServerFacts } from '../api/server-facts.ts'

/** Leads to the other application, where the server knows its address. */
export function OtherDashboard({ current }: { readonly current: 'Devices' | 'Agents' }) {
  const other = useServerFacts()?.other
  if (!other) return null
  const Icon = current === 'Devices' ? Bot : MonitorSmartphone
  return (
    <Link href={other.url} rel="external" className="navigation-item">
      <Icon aria-hidden />
      {current === 'Devices' ? 'To the agents' : 'To the devices'}
    </Link>
  )
}
