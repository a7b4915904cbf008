import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/forced-colors.css'
import { FileDown, MonitorSmartphone, Search } from 'lucide-react'
import { cloud } from '../api/cloud.ts'
import { Shell } from '../shell/shell.tsx'
import { startDashboard } from '../shell/start-dashboard.tsx'
import { DeviceRoutes } from './routes.tsx'

const navigation = [
  {
    items: [
      { href: '/', label: 'Devices', icon: MonitorSmartphone },
      { href: '/searches', label: 'Searches', icon: Search },
      { href: '/files', label: 'Files', icon: FileDown },
    ],
  },
]

startDashboard({
  probe: () => cloud.listDevices({ query: { limit: '1' } }),
  hasEvents: false,
  children: (
    <Shell title="Devices" navigation={navigation}>
      <DeviceRoutes />
    </Shell>
  ),
})
