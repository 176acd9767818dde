# Debian with Go, the same set-up script as on any machine, and all tests on
# Mesa's software device:
#
#     docker build -t vkops . && docker run --rm vkops
#
# docker run --rm vkops bash scripts/demo.sh shows the four operators instead.
FROM golang:1.26-bookworm
WORKDIR /vkops
COPY go.mod go.sum scripts/setup.sh ./
RUN mkdir scripts && mv setup.sh scripts/ && bash scripts/setup.sh && go mod download
COPY . .
RUN go build -o /usr/local/bin/vkops ./cmd/vkops
CMD ["bash", "scripts/test.sh"]
