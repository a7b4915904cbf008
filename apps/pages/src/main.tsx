import './styles/tokens.css'
import './styles/base.css'
import './styles/forced-colors.css'
import { routes } from './routes.tsx'
import { PageRoutes } from './shell/page-routes.tsx'
import { Shell } from './shell/shell.tsx'
import { startDashboard } from './shell/start-dashboard.tsx'

startDashboard(
  <Shell>
    <PageRoutes routes={routes} />
  </Shell>,
)
