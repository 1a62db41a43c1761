{{/* What the schema has no sentence for. */}}
{{- define "svc.checks" -}}
{{- if has .Release.Namespace (list "svc-system" "svc-builds") -}}
{{- fail (printf "the release must be in another namespace than %s: svc could change what Helm applies as an administrator. Say --namespace svc-release --create-namespace; the chart makes svc-system itself" .Release.Namespace) -}}
{{- end -}}
{{- if not .Values.temporal.address -}}
{{- fail "temporal.address is missing: host:port of the frontend of a Temporal server, such as temporal-frontend.temporal.svc:7233. See docs/guides/installing-with-helm.md" -}}
{{- end -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is missing: build deploy/Dockerfile and push it to a registry that the cluster reads" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is missing: the name under which people reach svc" -}}
{{- end -}}
{{- /* Not by the schema, whose refusals repeat the value. */ -}}
{{- if contains "@" .Values.logs.url -}}
{{- fail "logs.url holds a login, which belongs into a Secret: api.secretEnv.SVC_LOGS_URL" -}}
{{- end -}}
{{- if and .Values.temporal.tls.client (not .Values.temporal.tls.secret) -}}
{{- fail "temporal.tls.secret is missing: the Secret with the client certificate" -}}
{{- end -}}
{{- end -}}

{{/* A setting that is given twice, or a secret that is given in the open. Takes name, path, known (settings so far). */}}
{{- define "svc.checkSetting" -}}
{{- if has .name (list "SVC_DASHBOARD_USERS" "SVC_TEMPORAL_API_KEY") -}}
{{- fail (printf "%s holds %s, which belongs into a Secret: firstUsers.secret or temporal.apiKey.secret" .path .name) -}}
{{- end -}}
{{- if hasKey .known .name -}}
{{- fail (printf "%s holds %s, which another value of the chart sets" .path .name) -}}
{{- end -}}
{{- end -}}
