{{/* What Deployments, Services and policies select a process by. Takes part. */}}
{{- define "svc.selector" -}}
app.kubernetes.io/name: svc-{{ .part }}
app.kubernetes.io/part-of: svc
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{- define "svc.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* The settings of both processes, by name. */}}
{{- define "svc.sharedSettings" -}}
SVC_TEMPORAL_ADDRESS: {{ .Values.temporal.address | quote }}
SVC_TEMPORAL_NAMESPACE: {{ .Values.temporal.namespace | quote }}
SVC_LOG_LEVEL: {{ .Values.logLevel | quote }}
SVC_METRICS_PORT: "9090"
SVC_METRICS_HOST: 0.0.0.0
{{- with .Values.temporal.tls }}
{{- if and .secret .ca }}
SVC_TEMPORAL_TLS_CA: /temporal-tls/ca.crt
{{- end }}
{{- if .client }}
SVC_TEMPORAL_TLS_CERT: /temporal-tls/tls.crt
SVC_TEMPORAL_TLS_KEY: /temporal-tls/tls.key
{{- end }}
{{- end }}
{{- end -}}

{{/* The variables of a process, sorted. Takes root, part, own (its settings by name) and secrets (references by name). */}}
{{- define "svc.env" -}}
{{- $values := index .root.Values .part -}}
{{- $settings := merge .own (include "svc.sharedSettings" .root | fromYaml) -}}
{{- $references := .secrets -}}
{{- with .root.Values.temporal.apiKey }}{{ if .secret }}
{{- $_ := set $references "SVC_TEMPORAL_API_KEY" (dict "name" .secret "key" .key) }}
{{- end }}{{ end -}}
{{- range $path, $given := dict "env" .root.Values.env (printf "%s.env" .part) $values.env }}
{{- range $name, $value := $given }}
{{- include "svc.checkSetting" (dict "name" $name "path" $path "known" $settings) }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- end -}}
{{- range $name, $reference := $values.secretEnv }}
{{- if or (hasKey $settings $name) (hasKey $references $name) }}
{{- fail (printf "%s.secretEnv holds %s, which another value of the chart sets" $.part $name) }}
{{- end }}
{{- $_ := set $references $name $reference }}
{{- end -}}
{{- range $name, $value := $settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- range $name, $reference := $references }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $reference.name }}, key: {{ $reference.key }} } }
{{- end }}
{{- end -}}

{{/* What a restricted namespace lets in; uid 1000 is the image's user `node`. Takes root and part. */}}
{{- define "svc.podSettings" -}}
{{- $values := index .root.Values .part -}}
serviceAccountName: svc-{{ .part }}
# Else a Service in svc-system could set variables named like svc's settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: { app.kubernetes.io/name: svc-{{ .part }} } }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
volumes:
  - { name: tmp, emptyDir: { sizeLimit: 1Gi } }
  {{- with .root.Values.temporal.tls.secret }}
  - { name: temporal-tls, secret: { secretName: {{ . }} } }
  {{- end }}
{{- end -}}

{{- define "svc.containerSettings" -}}
image: {{ include "svc.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toYaml (index .root.Values .part).resources | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if .root.Values.temporal.tls.secret }}
  - { name: temporal-tls, mountPath: /temporal-tls, readOnly: true }
  {{- end }}
{{- end -}}

{{- define "svc.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: svc-{{ .part }}
  namespace: svc-system
  labels: {{ include "svc.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{ include "svc.selector" . | nindent 6 }}
{{- end -}}
