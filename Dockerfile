# A small Debian image with the command vkops and a Vulkan device in software:
#
#     docker build -t vkops .
#     docker run --rm vkops                  # lists the devices
#     docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" vkops run cumsum --axis 0 -i x.npy -o y.npy
#
# With a GPU: docs/devices.md. All tests, in the build stage:
#
#     docker build --target build -t vkops-build .
#     docker run --rm vkops-build bash scripts/test.sh
#
# scripts/image.sh runs these steps without Docker.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum /src/
COPY scripts/setup.sh /src/scripts/
RUN bash scripts/setup.sh --build && go mod download
COPY . /src/
RUN bash shaders/build.sh && go build -trimpath -o /usr/local/bin/vkops ./cmd/vkops

FROM debian:bookworm-slim
COPY scripts/setup.sh /setup/scripts/
RUN bash /setup/scripts/setup.sh --run && rm -rf /setup /var/lib/apt/lists/* && useradd --create-home vkops
COPY --from=build /usr/local/bin/vkops /usr/local/bin/
# What NVIDIA's container toolkit has to pass in: without "graphics" no Vulkan driver.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility
# Compiled kernels: a folder that any user may write to.
ENV XDG_CACHE_HOME=/tmp/cache
USER vkops
WORKDIR /data
ENTRYPOINT ["vkops"]
CMD ["devices"]
