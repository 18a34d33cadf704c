{{- define "bursar.name" -}}
{{- if contains "bursar" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-bursar" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "bursar.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "bursar.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: bursar
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Of one kind of process: (list . "server") */}}
{{- define "bursar.selector" -}}
app.kubernetes.io/name: bursar
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "bursar.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "bursar.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The settings of one kind of process: (list . (list "METRICS_TOKEN")) */}}
{{- define "bursar.env" -}}
{{- $root := index . 0 }}
- name: BASE_URL
  value: {{ $root.Values.baseUrl | quote }}
{{- range $name, $value := $root.Values.settings }}
- name: {{ $name }}
  {{- /* Numbers of a values file are floats here, which would be written as 1e+06. */}}
  value: {{ if kindIs "float64" $value }}{{ printf "%.0f" $value | quote }}{{ else }}{{ $value | quote }}{{ end }}
{{- end }}
{{- range $name := concat (list "DATABASE_URL" "SECRETS_KEY") (index . 1) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.existingSecret }}
      key: {{ $name }}
{{- end }}
{{- end }}

{{- define "bursar.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- if .Values.filesFrom }}
- name: files
  mountPath: /etc/bursar
  readOnly: true
{{- end }}
{{- end }}

{{- define "bursar.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: data
  emptyDir: { sizeLimit: 64Mi }
{{- with .Values.filesFrom }}
- name: files
  projected:
    sources:
      {{- with .configMap }}
      - configMap: { name: {{ . }} }
      {{- end }}
      {{- with .secret }}
      - secret: { name: {{ . }} }
      {{- end }}
{{- end }}
{{- end }}

{{/* The database may be away for a while: that is no reason to start again. */}}
{{- define "bursar.probes" -}}
startupProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 2
  failureThreshold: 60
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 5
  failureThreshold: 2
  timeoutSeconds: 5
livenessProbe:
  tcpSocket: { port: http }
  periodSeconds: 10
  failureThreshold: 6
{{- end }}
