import './styles/inter/inter.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/forced-colors.css'
import { PageRoutes } from './shell/page-routes.tsx'
import { Shell } from './shell/shell.tsx'
import { startDashboard } from './shell/start-dashboard.tsx'
import { routes } from './routes.tsx'

startDashboard(
  <Shell>
    <PageRoutes routes={routes} />
  </Shell>,
)
