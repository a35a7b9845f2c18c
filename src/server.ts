import { type AnyElysia, Elysia } from 'elysia'
import type { App } from './app.ts'
import { apiTokenRoutes } from './auth/api-tokens/routes.ts'
import { auditRoutes } from './auth/audit/routes.ts'
import { emailRoutes } from './auth/accounts/email-routes.ts'
import { mailedTokenRoutes } from './auth/accounts/mailed-token-routes.ts'
import { invitationRoutes } from './auth/organizations/invitation-routes.ts'
import { oauthClientRoutes } from './auth/oauth/clients/routes.ts'
import { oauthRoutes } from './auth/oauth/routes.ts'
import { organizationRoutes, quotaRoutes, userRemovalRoutes } from './auth/organizations/routes.ts'
import { oidcRoutes, proxyLoginRoutes } from './auth/external/routes.ts'
import { signInSettingsRoutes } from './auth/external/settings-routes.ts'
import { secondFactorRoutes } from './auth/second-factor/routes.ts'
import { sessionRoutes } from './auth/sessions/routes.ts'
import { consentRoutes } from './auth/oauth/consent-routes.ts'
import { accountRoutes } from './auth/accounts/routes.ts'
import { cacheConfigRoutes } from './cache/configuration/routes.ts'
import { cacheRoutes } from './cache/routes.ts'
import type { AppError } from './errors.ts'
import { prometheusErrorFields } from './embedded/api/answer.ts'
import { prometheusRoutes } from './embedded/api/routes.ts'
import { referenceOf } from './embedded/api/reference.ts'
import { certificateRoutes } from './embedded/certificates/routes.ts'
import { ingestionRoutes } from './embedded/ingestion/routes.ts'
import { isReport, pingRoutes } from './embedded/heartbeats/ping-routes.ts'
import { senderRoutes } from './embedded/ingest/sender-routes.ts'
import { readingSlosRoutes } from './evaluation/reads/reading-slos-routes.ts'
import { heartbeatRoutes } from './embedded/heartbeats/routes.ts'
import { encodeStatus } from './embedded/ingest/otlp/answer.ts'
import { isMetricsWrite, metricRoutes } from './embedded/ingest/otlp/routes.ts'
import { isRemoteWrite, remoteWriteRoutes } from './embedded/ingest/routes.ts'
import { probeRoutes } from './embedded/probes/routes.ts'
import { storageRoutes } from './embedded/storage/routes.ts'
import { targetRoutes } from './embedded/targets/routes.ts'
import { assertAnnouncedFits } from './http/bodies/body.ts'
import { boundsOf } from './http/connections/connection-guard.ts'
import { crossOrigin, preflights } from './http/headers/cross-origin.ts'
import { errorHandler } from './http/errors.ts'
import type { Caller } from './http/signed-in.ts'
import { sendTagged } from './http/headers/etag.ts'
import { noStore, securityHeaders } from './http/headers/headers.ts'
import { assertLongHost } from './http/headers/request-headers.ts'
import { limits, pathOf } from './http/connections/limits.ts'
import { describeApi } from './http/openapi/openapi.ts'
import { createRequestCheck } from './http/checks/request-check.ts'
import { createRouteTable, routeName } from './http/openapi/routes-table.ts'
import { channelRoutes, testSendRoutes } from './notifications/channel-routes.ts'
import { webhookRequests } from './notifications/channels/webhook-document.ts'
import { maxDescriptors } from './metrics/process.ts'
import { alertRoutes } from './notifications/alerts/alert-routes.ts'
import { incidentAccountRoutes } from './notifications/incidents/incident-account-routes.ts'
import { incidentRoutes } from './notifications/incidents/incident-routes.ts'
import type { Acknowledgeable } from './notifications/incidents/shared-acknowledgement.ts'
import { acknowledgedOf } from './notifications/notification-data.ts'
import { historyRoutes } from './notifications/history/history-routes.ts'
import { recipientRoutes } from './notifications/recipients/recipient-routes.ts'
import { RuleForMany } from './notifications/rules/coverage-model.ts'
import { ruleRoutes } from './notifications/rules/rule-routes.ts'
import { prepareRule } from './notifications/rules/set-rules.ts'
import { sloRecipientRoutes } from './notifications/rules/slo-recipient-routes.ts'
import { templatePreviewRoutes } from './notifications/templates/preview-routes.ts'
import { silenceRoutes } from './notifications/silences/silence-routes.ts'
import { createSilence, endSilence, silenceOf } from './notifications/silences/silences.ts'
import { getSilence } from './notifications/silences/silence-store.ts'
import { correctionRoutes, recomputeRoutes } from './evaluation/corrections/routes.ts'
import type { Silences } from './evaluation/corrections/corrections.ts'
import { socketRoute, socketSettings } from './realtime/socket.ts'
import { annotationCreationRoutes, annotationRoutes } from './slos/annotations/routes.ts'
import { alertingRoutes } from './slos/alerting/routes.ts'
import { calendarFeedRoutes, calendarRoutes } from './slos/calendar/routes.ts'
import { changeRoutes } from './slos/changes/routes.ts'
import { periodRoutes } from './slos/periods/routes.ts'
import { backfillRoutes } from './slos/backfills/routes.ts'
import { bulkRoutes } from './slos/bulk/routes.ts'
import { sloRoutes } from './slos/routes.ts'
import { teamRoutes } from './slos/teams/routes.ts'
import { backupRoutes } from './status/backup-routes.ts'
import { healthRoutes } from './status/health-routes.ts'
import { organizationUseRoutes } from './status/organization-use-routes.ts'
import { systemRoutes } from './status/system-routes.ts'
import { whatsNewRoutes } from './status/whats-new/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { forEachValue } from './sli/plan/for-each.ts'
import { picksOf } from './sli/picks.ts'
import { reviewDefinition } from './sli/plan/review.ts'
import { availabilityTrendRoutes } from './evaluation/reads/availability-trend-routes.ts'
import { previewRoutes } from './preview/routes.ts'
import { sliRoutes } from './sli/routes.ts'
import { sourceQueryRoutes } from './sources/stored-queries/routes.ts'
import { realTimeMetricsRoutes, sloReadsRoutes } from './evaluation/reads/routes.ts'
import { sourceApiRoutes } from './sources/browse/routes.ts'
import { sourceRoutes } from './sources/routes.ts'
import { referenceRoutes } from './web/reference-routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { reportScheduleRoutes } from './reports/schedule-routes.ts'
import { createUnknownPage, isDocument, pageRoutes } from './web/page-routes.ts'
import { timelineRoutes } from './notifications/timeline/timeline-routes.ts'
import {
  annotationCostRoutes,
  incidentRoutes as budgetIncidentRoutes,
  overviewRoutes,
  suggestionRoutes,
} from './insight/routes.ts'

/** Format in which a request brings samples; undefined: it brings none. */
const protocolOf = (request: Request) =>
  isRemoteWrite(request) ? 'remote_write' : isMetricsWrite(request) ? 'otlp' : undefined

/** Parts of an error that the protocol of a request adds. */
function extraFields(request: Request, error: AppError) {
  const ofPrometheus = prometheusErrorFields(pathOf(request), error.kind)
  const status = isMetricsWrite(request) ? encodeStatus(request, error) : {}
  return status instanceof Uint8Array ? status : { ...ofPrometheus, ...status }
}

/** Statuses of requests that may be refused before they are routed, or are routed by a less specific template. */
const refusedUnrouted = new Set([405, 413])

const embeddedReference = referenceOf('Embedded')

/** The whole API. Hooks come first: Elysia applies them to the routes added after them. */
export function createServer(app: App) {
  const { config, answers, requestLog } = app
  const checkRequest = createRequestCheck(() => server.routes)
  const routes = createRouteTable(() => server.routes)
  const callers = new WeakMap<Request, Caller>()
  const onCaller = (request: Request, caller: Caller) => void callers.set(request, caller)
  const body = { limitBytes: config.bodyLimitBytes }
  const { tokens, originOf, bodyBudget, streamedResponses } = app
  const guard = { tokens, onCaller, originOf, body, bodyBudget, checkRequest, answers, streamedResponses }
  const deps = { ...app, guard }
  /** For resources whose responses browsers may cache: not accounts and sessions. */
  const cacheable = { ...app, guard: { ...guard, onTagged: answers.store } }
  const onForbidden = (request: Request, route: string, error: AppError) => {
    const caller = callers.get(request)
    if (!caller) return
    app.refusals.record(caller, { method: request.method, route: routeName(route), reason: error.details })
    const protocol = protocolOf(request)
    if (protocol) app.senders.of(caller, protocol).refused(error)
  }
  const onQueued = () => {
    app.feed.queued()
    app.delivery.soon()
  }
  const onIncident = ({ incident, alerts }: Acknowledgeable) => {
    if (incident) app.feed.incidentChanged(incident.id)
    for (const alert of alerts) {
      const { id: alert_id, organization_id, slo_id } = alert
      app.hub.broadcastAcknowledgement({ alert_id, organization_id, slo_id, acknowledged: acknowledgedOf(alert) })
    }
    onQueued()
  }
  const onChange = (sloId: number) => {
    app.feed.changed(sloId)
    app.evaluator.soon()
  }
  const silences: Silences = {
    create: (caller, sent) => createSilence(app, caller, sent),
    end: (caller, id) => endSilence(app, caller, id),
    hasEnded: async ({ organizationId }, id) =>
      (await getSilence(app.db.read, organizationId, id)).until <= app.clock.now(),
  }
  const origins = () => [...config.corsOrigins, new URL(app.publicUrl()).origin]
  const { maxLive } = boundsOf(maxDescriptors() ?? Infinity)
  const prometheus = {
    guard,
    prefix: '/embedded/prometheus/api/v1',
    tag: 'Embedded source',
    reference: embeddedReference,
    open: () => app.embeddedApi,
  }
  const unknownPage = createUnknownPage(app.page, () => server.routes)

  const server: AnyElysia = new Elysia({
    websocket: socketSettings,
    nativeStaticResponse: false, // static responses would be sent without the headers below
    handler: { standardHostname: config.tlsCert !== null }, // true cuts paths under hosts of up to three letters (over TLS two)
    serve: {
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // Bun's own 413 has no body and no headers; ours is in http/bodies/body
      idleTimeout: config.sourceTimeoutSeconds + 15, // a request may wait for a source that long; Bun takes 255 at most
    },
  })
    .onRequest(({ request, set }) => {
      requestLog.begin(request)
      Object.assign(set.headers, securityHeaders, noStore)
      assertLongHost(request)
    })
    .onStart(({ server: listening }) => {
      app.listener.port = listening?.port ?? null
    })
    .use(crossOrigin(config.corsOrigins))
    .use(
      limits({ ...app, isDocument, hasOwnLimits: (request) => isReport(request) || protocolOf(request) !== undefined }),
    )
    .use(preflights(config.corsOrigins))
    .onRequest(({ request }) => {
      const { bodyLimitBytes, ingestBodyLimitBytes } = config
      assertAnnouncedFits(request, protocolOf(request) ? ingestBodyLimitBytes : bodyLimitBytes)
    })
    .onRequest(({ request, set }) => {
      const kept = answers.find(request)
      if (!kept) return undefined
      const response = sendTagged(request, set, kept)
      requestLog.done(request, kept.route, set)
      return response
    })
    .use(
      errorHandler({
        log: app.log,
        routes,
        extraFields,
        unknownPage,
        onForbidden,
      }),
    )
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      const head = responseValue instanceof Response ? responseValue : set
      const isUnrouted = refusedUnrouted.has(Number(head.status))
      requestLog.done(request, (isUnrouted && routes.nameOf(pathOf(request))) || route, head)
    })
    .use(statusRoutes(app))
    .use(pageRoutes(app.page))
    .use(referenceRoutes({ document: () => apiDocument() }))
    .use(oauthRoutes(deps))
    .use(oidcRoutes(deps))
    .use(recipientRoutes(app))
    .use(pingRoutes(app))
    .use(calendarFeedRoutes(app))
    .use(prometheusRoutes({ ...prometheus, isHidden: true }))
    .use(remoteWriteRoutes({ ...deps, prefix: prometheus.prefix, isHidden: true }))
    .use(metricRoutes({ ...deps, prefix: '', isHidden: true }))
    .use(metricRoutes({ ...deps, prefix: `${prometheus.prefix}/otlp`, isHidden: true }))

  server.config.prefix = '/api/v1' // of the routes that follow; a group or a plugin around them would register each once more
  server
    .use(healthRoutes(app))
    .use(accountRoutes(deps))
    .use(emailRoutes(deps))
    .use(secondFactorRoutes(deps))
    .use(sessionRoutes(deps))
    .use(consentRoutes(deps))
    .use(proxyLoginRoutes(deps))
    .use(mailedTokenRoutes(deps))
    .use(apiTokenRoutes(deps))
    .use(oauthClientRoutes(deps))
    .use(systemRoutes(deps))
    .use(organizationUseRoutes(deps))
    .use(senderRoutes(deps))
    .use(ingestionRoutes(deps))
    .use(socketRoute({ ...app, origins, maxLive }))
    .use(prometheusRoutes(prometheus))
    .use(remoteWriteRoutes({ ...deps, prefix: prometheus.prefix }))
    .use(remoteWriteRoutes({ ...deps, prefix: '', isHidden: true }))
    .use(metricRoutes({ ...deps, prefix: `${prometheus.prefix}/otlp` }))
    .use(metricRoutes({ ...deps, prefix: '/otlp', isHidden: true }))
    .use(sourceApiRoutes(deps))
    .use(auditRoutes(cacheable))
    .use(organizationRoutes(cacheable))
    .use(userRemovalRoutes(cacheable))
    .use(quotaRoutes(cacheable))
    .use(signInSettingsRoutes(cacheable))
    .use(backupRoutes(cacheable))
    .use(whatsNewRoutes(cacheable))
    .use(invitationRoutes(cacheable))
    .use(teamRoutes(cacheable))
    .use(budgetIncidentRoutes(cacheable))
    .use(overviewRoutes(cacheable))
    .use(sloRoutes({ ...cacheable, reviewDefinition, picksOf, silenceOf: (slo) => silenceOf(app, slo), onChange }))
    .use(
      bulkRoutes({
        ...cacheable,
        ruleSchema: RuleForMany,
        forEachValue,
        prepareRule: (caller, sent, slos) => prepareRule(app, caller, sent, slos),
        onChange,
      }),
    )
    .use(backfillRoutes(cacheable))
    .use(alertingRoutes(cacheable))
    .use(annotationCreationRoutes(cacheable))
    .use(annotationRoutes(cacheable))
    .use(annotationCostRoutes(cacheable))
    .use(reportScheduleRoutes(cacheable))
    .use(reportRoutes(cacheable))
    .use(changeRoutes(cacheable))
    .use(periodRoutes(cacheable))
    .use(recomputeRoutes(cacheable))
    .use(calendarRoutes(cacheable))
    .use(correctionRoutes({ ...cacheable, silences, evaluate: app.evaluator.evaluateSlos }))
    .use(timelineRoutes(cacheable))
    .use(sloRecipientRoutes(cacheable))
    .use(sloReadsRoutes({ ...cacheable, probesOf: app.checksOf }))
    .use(previewRoutes(cacheable))
    .use(sourceRoutes(cacheable))
    .use(suggestionRoutes(cacheable))
    .use(sourceQueryRoutes(cacheable))
    .use(availabilityTrendRoutes(cacheable))
    .use(realTimeMetricsRoutes(cacheable))
    .use(sliRoutes(cacheable))
    .use(channelRoutes(cacheable))
    .use(testSendRoutes(cacheable))
    .use(alertRoutes({ ...cacheable, onAcknowledgementChanged: onIncident }))
    .use(incidentRoutes({ ...cacheable, onChanged: onIncident }))
    .use(incidentAccountRoutes(cacheable))
    .use(silenceRoutes(cacheable))
    .use(historyRoutes({ ...cacheable, onQueued }))
    .use(ruleRoutes({ ...cacheable, onQueued }))
    .use(templatePreviewRoutes(cacheable))
    .use(cacheRoutes({ ...cacheable, warm: app.warmup.warm }))
    .use(cacheConfigRoutes(cacheable))
    .use(targetRoutes(cacheable))
    .use(probeRoutes(cacheable))
    .use(heartbeatRoutes(cacheable))
    .use(readingSlosRoutes(cacheable, 'heartbeat'))
    .use(readingSlosRoutes(cacheable, 'probe'))
    .use(readingSlosRoutes(cacheable, 'target'))
    .use(storageRoutes(cacheable))
    .use(certificateRoutes(cacheable))

  const apiDocument = (): Promise<string> =>
    describeApi(server, { basePath: new URL(app.publicUrl()).pathname, webhooks: webhookRequests })
  return server
}
